package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/testkit"
)

// nodeTools is where tools/greenfield/calls.js and what it needs are.
func nodeTools(t *testing.T) string {
	t.Helper()
	return testkit.NPM(t, "..", "greenfield")
}

// nodeClient is a process with BTCPay's client for Node.js, which makes the calls that
// a test requests.
type nodeClient struct {
	stdin   io.Writer
	answers *bufio.Reader
}

// nodeAnswer is what became of a call.
type nodeAnswer struct {
	Answer json.RawMessage `json:"answer"`
	Status int             `json:"status"`
	Error  json.RawMessage `json:"error"`
}

// refusal is an error of the API as the client throws it.
type refusal struct {
	status int
	code   string
}

// startNode runs the client with a key until the test ends.
func startNode(t *testing.T, dir, url, key string) *nodeClient {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", filepath.Join(dir, "calls.js"))
	cmd.Env = append(os.Environ(), "GREENFIELD_URL="+url, "GREENFIELD_KEY="+key)
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
	return &nodeClient{stdin, bufio.NewReader(stdout)}
}

func (n *nodeClient) send(t *testing.T, what any) (got nodeAnswer) {
	t.Helper()
	require.NoError(t, json.NewEncoder(n.stdin).Encode(what))
	line, err := n.answers.ReadBytes('\n')
	require.NoError(t, err, string(line))
	require.NoError(t, json.Unmarshal(line, &got), string(line))
	return got
}

// call makes a call and reads its answer, unless into is nil.
func (n *nodeClient) call(t *testing.T, into any, service, operation string, input of) {
	t.Helper()
	got := n.send(t, of{"call": []any{service, operation, input}})
	require.Empty(t, got.Error, "%s.%s: status %d: %s", service, operation, got.Status, got.Error)
	if into != nil {
		require.NoError(t, json.Unmarshal(got.Answer, into), "%s.%s: %s", service, operation, got.Answer)
	}
}

// refused makes a call that the API refuses.
func (n *nodeClient) refused(t *testing.T, service, operation string, input of) refusal {
	t.Helper()
	got := n.send(t, of{"call": []any{service, operation, input}})
	require.NotZero(t, got.Status, "%s.%s: %s%s", service, operation, got.Answer, got.Error)
	var body struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}
	require.NoError(t, json.Unmarshal(got.Error, &body), string(got.Error))
	require.NotEmpty(t, body.Message)
	return refusal{got.Status, body.Code}
}

// verify lets the library of Standard Webhooks verify a request. The error is the
// library's.
func (n *nodeClient) verify(t *testing.T, secret string, q fixture.Request) error {
	t.Helper()
	headers := map[string]string{}
	for name := range q.Header {
		headers[name] = q.Header.Get(name)
	}
	got := n.send(t, of{"verify": of{"secret": secret, "body": string(q.Body), "headers": headers}})
	if got.Error == nil {
		return nil
	}
	var text string
	require.NoError(t, json.Unmarshal(got.Error, &text))
	return errors.New(text)
}
