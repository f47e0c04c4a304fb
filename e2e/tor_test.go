package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/outbound"
)

// network is the private Tor network of all tests here, once one has asked.
var network atomic.Pointer[fixture.Network]

var startTor = sync.OnceValue(func() error {
	ctx, cancel := context.WithTimeout(context.Background(), fixture.Startup)
	defer cancel()
	n, err := fixture.StartTor(ctx)
	network.Store(n)
	return err
})

// stopTor ends the network, if there is one.
func stopTor() error {
	if n := network.Load(); n != nil {
		return n.Stop()
	}
	return nil
}

// onTor is the private Tor network; the test is skipped where tor cannot be
// installed.
func onTor(t *testing.T) *fixture.Network {
	t.Helper()
	err := startTor()
	if errors.Is(err, programs.ErrUnsupported) {
		t.Skipf("Tor is not tested here: %v", err)
	}
	require.NoError(t, err)
	return network.Load()
}

// visitor is a person with a Tor client: each name has circuits of its own, as long
// as they last.
func visitor(t *testing.T, n *fixture.Network, name string) *http.Client {
	t.Helper()
	through := &url.URL{Scheme: "socks5h", Host: n.SOCKS(), User: url.UserPassword(name, "x")}
	transport := &http.Transport{Proxy: http.ProxyURL(through), DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	// A circuit that died may say nothing: then another try has a new one.
	return &http.Client{Transport: transport, Timeout: 2 * time.Minute}
}

// reply is an answer as its bytes.
type reply struct {
	status int
	header http.Header
	body   string
}

func ask(ctx context.Context, c *http.Client, method, url, body string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := c.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, string(text)}, err
}

// reach asks until there is an answer: a circuit may break at any time, and
// a new one is made.
func reach(t *testing.T, c *http.Client, method, url, body string) (got reply) {
	t.Helper()
	eventually(t, method+" "+url, func(ctx context.Context) (err error) {
		got, err = ask(ctx, c, method, url, body)
		return err
	})
	return got
}

// own are what a quote, or the look at limits, has for itself alone.
var own = regexp.MustCompile(`"(trade_id|as_of|expires_at|date)":"[^"]*"`)

// sameOnBoth asks both surfaces for a path and compares the answers: the bytes, and
// every header that is not of this one exchange. If the answer changes meanwhile,
// sameOnBoth asks again. It returns the onion's answer.
func sameOnBoth(t *testing.T, through *http.Client, clearnet, onion, path string) (got reply) {
	t.Helper()
	dated := strings.Contains(path, "/new_rate?") || strings.HasSuffix(path, "/limits")
	look := func(ctx context.Context, c *http.Client, base string) (reply, error) {
		r, err := ask(ctx, c, http.MethodGet, base+path, "")
		if dated {
			r.body = own.ReplaceAllString(r.body, `"$1":""`)
		}
		return r, err
	}
	var plain reply
	eventually(t, "both surfaces answer "+path, func(ctx context.Context) error {
		before, err := look(ctx, http.DefaultClient, clearnet)
		if err != nil {
			return err
		}
		if got, err = look(ctx, through, onion); err != nil {
			return err
		}
		plain, err = look(ctx, http.DefaultClient, clearnet)
		switch {
		case err != nil:
			return err
		case plain.body != before.body:
			return errors.New("it changes")
		case plain.status != got.status || plain.body != got.body: // it may have changed to and fro
			return fmt.Errorf("%d %s, but through Tor %d %s", plain.status, plain.body, got.status, got.body)
		}
		return nil
	})
	for _, r := range []reply{plain, got} {
		require.NotEmpty(t, r.header.Get("X-Request-Id"), path)
		r.header.Del("X-Request-Id")
		r.header.Del("Date")
		if dated {
			r.header.Del("Content-Length")
		}
	}
	require.Equal(t, plain.header, got.header, path)
	return got
}

// TestTorKeepsDestinationsApart: calls through the proxy use circuits of their own
// for each host, and the names are resolved at the far end, because this machine
// does not know them.
func TestTorKeepsDestinationsApart(t *testing.T) {
	t.Parallel()
	n := onTor(t)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	_, port, _ := strings.Cut(server.Listener.Addr().String(), ":")
	sender := outbound.NewSender(outbound.SenderConfig{
		SOCKS5Proxy: n.SOCKS(), Policy: outbound.Policy{AllowedNets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	})
	hosts := []string{"one.example", "two.example", "127.0.0.1", "127.0.0.2"}
	for _, host := range []string{hosts[0], hosts[1], hosts[0], hosts[2], hosts[3], hosts[1]} {
		eventually(t, "a call to "+host, func(ctx context.Context) error {
			_, err := sender.Post(ctx, outbound.Request{URL: "http://" + net.JoinHostPort(host, port) + "/", UseTor: true})
			if host == "127.0.0.2" { // no listener is needed there: a circuit is used all the same
				err = nil
			}
			if len(n.Circuits(host)) == 0 {
				err = errors.Join(err, errors.New("no circuit was used"))
			}
			return err
		})
	}
	for i, a := range hosts {
		require.NotEmpty(t, n.Circuits(a), a)
		for _, b := range hosts[i+1:] {
			for _, circuit := range n.Circuits(a) {
				require.False(t, slices.Contains(n.Circuits(b), circuit), "%s and %s share a circuit", a, b)
			}
		}
	}
	for _, name := range hosts[:2] {
		require.True(t, n.Resolved(name), "%s was resolved by a relay", name)
	}
}

// requireNeverResolved looks for a name among those that a service has looked
// up, all of which are in its log, and makes sure that they are.
func requireNeverResolved(t *testing.T, log, lookedUp string, never ...string) {
	t.Helper()
	text, err := os.ReadFile(log)
	require.NoError(t, err)
	require.Contains(t, string(text), "hostLookupOrder("+lookedUp+")", "lookups are logged")
	for _, name := range never {
		require.NotContains(t, string(text), "hostLookupOrder("+name, "looked up outside of the proxy")
	}
}
