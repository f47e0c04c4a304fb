package merchant_test

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/npmtest"
)

// stripeClient is a process with Stripe's client for Node.js, which makes the calls
// that it is told.
type stripeClient struct {
	stdin   io.Writer
	answers *bufio.Reader
}

// stripeClock is a clock as the client sees it.
type stripeClock struct {
	ID           string `json:"id"`
	Object       string `json:"object"`
	Created      int64  `json:"created"`
	DeletesAfter int64  `json:"deletes_after"`
	FrozenTime   int64  `json:"frozen_time"`
	Livemode     bool   `json:"livemode"`
	Name         string `json:"name"`
	Status       string `json:"status"`
}

// stripeError is an error as the client throws it.
type stripeError struct {
	Class   string `json:"class"`
	Type    string `json:"type"`
	Code    string `json:"code"`
	Param   string `json:"param"`
	Message string `json:"message"`
}

// startStripe runs the client with a key until the test ends.
func startStripe(t *testing.T, url, key string) *stripeClient {
	t.Helper()
	dir := npmtest.Install(t, "../..", "stripe")
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "calls.js"))
	cmd.Env = append(os.Environ(), "STRIPE_URL="+url, "STRIPE_KEY="+key)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { // it ends with its input
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	return &stripeClient{stdin, bufio.NewReader(stdout)}
}

// tell has one of the client's operations on test clocks done.
func (c *stripeClient) tell(t *testing.T, operation string, input []any) (answer json.RawMessage, failed *stripeError) {
	t.Helper()
	require.NoError(t, json.NewEncoder(c.stdin).Encode(map[string]any{"call": append([]any{operation}, input...)}))
	line, err := c.answers.ReadBytes('\n')
	require.NoError(t, err, string(line))
	var got struct {
		Answer json.RawMessage `json:"answer"`
		Error  *stripeError    `json:"error"`
	}
	require.NoError(t, json.Unmarshal(line, &got), string(line))
	return got.Answer, got.Error
}

func (c *stripeClient) call(t *testing.T, into any, operation string, input ...any) {
	t.Helper()
	got, failed := c.tell(t, operation, input)
	require.Nil(t, failed, "%s: %+v", operation, failed)
	require.NoError(t, json.Unmarshal(got, into), string(got))
}

func (c *stripeClient) clock(t *testing.T, operation string, input ...any) (clock stripeClock) {
	t.Helper()
	c.call(t, &clock, operation, input...)
	return clock
}

func (c *stripeClient) fails(t *testing.T, operation string, input ...any) stripeError {
	t.Helper()
	got, failed := c.tell(t, operation, input)
	require.NotNil(t, failed, "%s: %s", operation, got)
	return *failed
}

// awaitReady returns when the clock shows a time and is ready.
func (c *stripeClient) awaitReady(t *testing.T, id string, seconds int64) {
	t.Helper()
	var clock stripeClock
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if clock = c.clock(t, "retrieve", id); clock.Status != "advancing" {
			break
		}
	}
	require.Equal(t, "ready", clock.Status)
	require.Equal(t, seconds, clock.FrozenTime)
}
