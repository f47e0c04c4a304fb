package merchant_test

import (
	"bufio"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// TestReceiversOfTheDocumentation runs the receivers from the merchants' documentation against
// events that the service sends.
func TestReceiversOfTheDocumentation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dir, err := filepath.Abs(filepath.Join("..", "..", "docs", "merchant", "verify"))
	require.NoError(t, err)
	for language, command := range map[string]func(port string) []string{
		"go":         func(string) []string { return []string{built(t, filepath.Join(dir, "receiver.go"))} },
		"javascript": func(string) []string { return []string{"node", filepath.Join(dir, "receiver.js")} },
		"python":     func(string) []string { return []string{"python3", filepath.Join(dir, "receiver.py")} },
		"php": func(port string) []string {
			return []string{"php", "-S", "127.0.0.1:" + port, filepath.Join(dir, "receiver.php")}
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			port := freePort(t)
			args := command(port)
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skipf("%s is not installed", args[0])
			}
			testReceiver(t, b, port, args)
		})
	}
}

func built(t *testing.T, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "receiver")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, source).CombinedOutput()
	require.NoError(t, err, string(out))
	return program
}

func testReceiver(t *testing.T, b *bench, port string, args []string) {
	s := b.signup(t)
	hook := b.webhook(t, s, `{"url":"http://127.0.0.1:`+port+`/","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	handled := runReceiver(t, port, hook.text(t, "secret"), args)

	now := time.Now()
	fresh := b.event(t, s, "ch_fresh", now)
	require.Equal(t, webhook.Delivered, b.attempt(t, fresh, 1))
	require.Equal(t, "charge.confirmed ch_fresh", <-handled)
	_, err := b.store.ReopenDelivery(t.Context(), db.ReopenDeliveryParams{ID: fresh, Now: now})
	require.NoError(t, err)
	require.Equal(t, webhook.Delivered, b.attempt(t, fresh, 2), "the same event again is accepted")
	require.Equal(t, webhook.Delivered, b.attempt(t, b.event(t, s, "ch_second", time.Now().Add(-time.Minute)), 1))
	require.Equal(t, "charge.confirmed ch_second", <-handled, "but it is handled once")

	require.Equal(t, webhook.Pending, b.attempt(t, b.event(t, s, "ch_old", now.Add(-6*time.Minute)), 1), "an old event is refused")
	require.Equal(t, webhook.Pending, b.attempt(t, b.eventOf(t, s, map[string]any{"id": "ch_sandbox", "sandbox": true}, now), 1), "nobody has paid")
	body, err := webhook.Body("charge.confirmed", map[string]string{"id": "ch_forged"}, now)
	require.NoError(t, err)
	key := hook.text(t, "secret")
	for name, signature := range map[string]string{
		"missing": "", "of another key": webhook.Sign(secret.NewSecret(), body), "of another body": webhook.Sign(key, append(body, ' ')),
		"in upper case": strings.ToUpper(webhook.Sign(key, body)), "too short": webhook.Sign(key, body)[:63], "not ASCII": "é" + webhook.Sign(key, body)[2:],
	} {
		require.Equal(t, http.StatusBadRequest, post(t, port, signature, body), name)
	}
	require.Equal(t, http.StatusBadRequest, post(t, port, webhook.Sign(key, []byte("{")), []byte("{")), "signed, but not JSON")
	require.Equal(t, http.StatusOK, post(t, port, webhook.Sign(key, body), body))
	require.Equal(t, "charge.confirmed ch_forged", <-handled, "nothing else was handled before")
}

// runReceiver starts a receiver. The channel gets the events that it handles.
func runReceiver(t *testing.T, port, key string, args []string) <-chan string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "WEBHOOK_SECRET="+key, "PORT="+port, "HANDLED_DIR="+filepath.Join(t.TempDir(), "handled"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		return err == nil && conn.Close() == nil
	}, maxWait, 50*time.Millisecond, "the receiver does not listen")
	handled := make(chan string, 100)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			handled <- lines.Text()
		}
	}()
	return handled
}

// event inserts an event with the given time of emission, and its delivery.
func (b *bench) event(t *testing.T, s shop, resource string, at time.Time) string {
	t.Helper()
	return b.eventOf(t, s, map[string]any{"id": resource, "sandbox": false}, at)
}

func (b *bench) eventOf(t *testing.T, s shop, data map[string]any, at time.Time) string {
	t.Helper()
	body, err := webhook.Body("charge.confirmed", data, at)
	require.NoError(t, err)
	ids, err := b.store.RecordEvent(t.Context(), db.RecordEventParams{
		MerchantID: s.id, Mode: "live", Type: "charge.confirmed", ResourceID: data["id"].(string) + s.id, CreatedAt: at, Payload: string(body),
	})
	require.NoError(t, err)
	require.Len(t, ids, 1)
	return ids[0]
}

// attempt delivers as the worker does, but also to loopback addresses.
func (b *bench) attempt(t *testing.T, id string, n int) webhook.Status {
	t.Helper()
	hooks := &deliveries.Handler{
		Store: b.store, Secret: b.box, Clock: time.Now, Finished: func(webhook.Status) {}, Reported: func(string, time.Duration) {},
		Sender: outbound.NewSender(outbound.SenderConfig{
			Policy: outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}, Timeout: time.Minute,
		}),
	}
	outcome, err := hooks.AttemptDelivery(t.Context(), deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: n})
	require.NoError(t, err)
	return outcome.Status
}

func post(t *testing.T, port, signature string, body []byte) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+port+"/", strings.NewReader(string(body)))
	require.NoError(t, err)
	req.Header.Set(webhook.SignatureHeader, signature)
	return doWith(t, newcomer(), req).status
}
