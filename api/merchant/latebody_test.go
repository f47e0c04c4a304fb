package merchant_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestABodyThatIsLateWithoutAWordIsJudgedWhenItHasCome sends headers, which announce nothing,
// replaces the key, and sends the body then.
func TestABodyThatIsLateWithoutAWordIsJudgedWhenItHasCome(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	const body = `{"amount":1.5}`
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(b.url, "http://"))
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	_, err = fmt.Fprintf(conn, "POST /api/charges HTTP/1.1\r\nHost: pay.example.com\r\nX-Api-Key: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", s.live, len(body))
	require.NoError(t, err)
	b.as(t, s, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK)
	_, err = io.WriteString(conn, body)
	require.NoError(t, err)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	require.Equal(t, http.StatusUnauthorized, res.StatusCode)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM charges"))
}
