package merchant_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// announce sends the headers of a creation with a key, but not the body.
func (b *bench) announce(t *testing.T, apiKey string, length int) *net.TCPConn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /api/charges HTTP/1.1\r\nHost: pay.example.com\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", apiKey, length)
	require.NoError(t, err)
	return conn.(*net.TCPConn)
}

func statusFrom(t *testing.T, r *bufio.Reader) int {
	t.Helper()
	res, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return res.StatusCode
}

// TestABodyThatIsCutOffIsBadInput checks that the answer is 400 and not a server error, with a
// valid and with an unknown key.
func TestABodyThatIsCutOffIsBadInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, apiKey := range []string{s.live, secret.NewAPIKey(true)} {
		conn := b.announce(t, apiKey, 100)
		_, err := io.WriteString(conn, `{"amount"`)
		require.NoError(t, err)
		require.NoError(t, conn.CloseWrite())
		require.Equal(t, http.StatusBadRequest, statusFrom(t, bufio.NewReader(conn)))
	}
}

// TestABodyThatNeverComesHoldsNoConnection checks that the service closes the connection after
// its answer, although the client keeps waiting.
func TestABodyThatNeverComesHoldsNoConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	conn := b.announce(t, b.signup(t).live, 100)
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Minute)))
	r := bufio.NewReader(conn)
	require.Equal(t, http.StatusBadRequest, statusFrom(t, r))
	_, err := io.Copy(io.Discard, r)
	require.NoError(t, err, "the end, not the deadline")
}

// TestABodyThatIsLateWithoutAWordIsJudgedWhenItHasCome sends headers without Expect:
// 100-continue, replaces the key, and only then sends the body.
func TestABodyThatIsLateWithoutAWordIsJudgedWhenItHasCome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	const body = `{"amount":1.5}`
	conn := b.announce(t, s.live, len(body))
	b.as(t, s, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK)
	_, err := io.WriteString(conn, body)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, statusFrom(t, bufio.NewReader(conn)))
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM charges"))
}
