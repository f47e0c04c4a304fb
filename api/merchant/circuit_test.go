package merchant_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// through sends a request as Tor does for a visitor on a circuit.
func (b *bench) through(t *testing.T, circuit int, r request, header ...string) answer {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, b.onion)
		if err == nil {
			_, err = fmt.Fprintf(conn, "PROXY TCP6 fc00:dead:beef:4dad::%x:%x ::1 %d 80\r\n", circuit>>16, circuit&0xffff, circuit&0xffff)
		}
		return conn, err
	}}
	req, err := http.NewRequestWithContext(t.Context(), r.method, onionURL+r.path, strings.NewReader(r.body))
	require.NoError(t, err)
	if r.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return doWith(t, transport, req)
}

// page opens a page on a circuit with a cookie, or without one.
func (b *bench) page(t *testing.T, circuit int, cookie string) answer {
	t.Helper()
	var header []string
	if cookie != "" {
		header = []string{"Cookie", cookie}
	}
	return b.through(t, circuit, request{http.MethodGet, onionPage, anonymous(), ""}, header...)
}

func TestNewcomersAreDistinguishedByCircuit(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	requireLimit(t, 120, http.StatusNotFound, func() int { return b.page(t, 1, "").status })
	another := b.page(t, 2, "")
	require.Equal(t, http.StatusNotFound, another.status, "another circuit is another visitor")
	require.Equal(t, http.StatusNotFound, b.visit(t, "").status, "nor is who comes otherwise held up")

	// A session takes precedence over the circuit and lasts longer than one.
	mine := another.session()
	require.NotEmpty(t, mine)
	require.Equal(t, http.StatusNotFound, b.page(t, 1, mine).status, "on the circuit that is used up")
	n := 0
	requireLimit(t, 119, http.StatusNotFound, func() int { n++; return b.page(t, 100+n%5, mine).status })
	require.Equal(t, http.StatusNotFound, b.page(t, 2, "").status)
}

// No matter how many circuits a client opens, all requests without a session share the limit of
// ten visitors. A visitor with a session is not affected.
func TestManyCircuitsWinLittle(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	mine := b.page(t, 1, "").session()
	n := 1
	requireLimit(t, 1199, http.StatusNotFound, func() int { n++; return b.page(t, n, "").status })
	require.Equal(t, http.StatusTooManyRequests, b.page(t, 99_999, "").status)
	require.Equal(t, http.StatusNotFound, b.page(t, 99_999, mine).status)
	require.Equal(t, http.StatusNotFound, b.send(t, http.MethodGet, onionPage, anonymous(), "").status, "clearnet is not held up")
}

// Many sessions on one circuit gain little either.
func TestManySessionsOfACircuitWinLittle(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	var sessions []string
	for range 12 {
		sessions = append(sessions, b.page(t, 1, "").session())
	}
	n := 0
	requireLimit(t, 1200, http.StatusNotFound, func() int { n++; return b.page(t, 2, sessions[n%len(sessions)]).status })
	require.Equal(t, http.StatusNotFound, b.page(t, 3, sessions[0]).status, "on another circuit")
}

// On the onion mirror, limits by address count by circuit. This includes logins and the block
// after wrong passwords.
func TestAddressLimitsCountCircuits(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	login := request{http.MethodPost, "/api/auth/login", anonymous(), "{}"}
	forged := []string{"X-Forwarded-For", "203.0.113.9"}
	requireLimit(t, 10, http.StatusBadRequest, func() int { return b.through(t, 1, login, forged...).status })
	require.Equal(t, http.StatusBadRequest, b.through(t, 2, login).status)
	n := 2
	requireLimit(t, 89, http.StatusBadRequest, func() int { n++; return b.through(t, n, login).status })
	refused := b.through(t, 99_999, login)
	require.Equal(t, http.StatusTooManyRequests, refused.status)
	require.Equal(t, "900", refused.header.Get("Retry-After"))
	require.Equal(t, "10", refused.header.Get("X-RateLimit-Limit"), "headers are those of the client's own limit, as on clearnet")
	require.Equal(t, http.StatusBadRequest, b.send(t, login.method, login.path, anonymous(), "{}").status, "clearnet is not held up")
}

func TestFailedLoginsBlockTheirCircuit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	wrong := func(circuit, n int) int {
		body := fmt.Sprintf(`{"email":"u%d@example.com","password":"wrong horse battery"}`, n)
		return b.through(t, circuit, request{http.MethodPost, "/api/auth/login", anonymous(), body}).status
	}
	for n := range 20 {
		require.Equal(t, http.StatusUnauthorized, wrong(1, n))
	}
	require.Equal(t, http.StatusForbidden, wrong(1, 21))
	require.Equal(t, http.StatusUnauthorized, wrong(2, 22))
	require.Equal(t, http.StatusUnauthorized, b.login(t, "u23@example.com", "wrong").status)
}
