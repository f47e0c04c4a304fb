package merchant_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// elsewhere returns the same API for a client at another address of this machine.
func (b *bench) elsewhere(address string) *bench {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	copied := *b
	copied.by = &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}
	return &copied
}

// roaming returns the same API for a client that uses a new address for each request, so that no
// limit by address applies.
func (b *bench) roaming() *bench {
	var n atomic.Uint32
	copied := *b
	copied.by = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		at := n.Add(1)
		from := net.IPv4(127, 9, byte(at>>8), byte(at))
		return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, network, address)
	}}
	return &copied
}

// away hides a table from the API until back is called.
func (b *bench) away(t *testing.T, table string) (back func()) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), "ALTER TABLE "+table+" RENAME TO away")
	require.NoError(t, err)
	return func() {
		_, err := b.store.Pool().Exec(t.Context(), "ALTER TABLE away RENAME TO "+table)
		require.NoError(t, err)
	}
}

// Keys that do not exist are looked up 60 times a minute for an address, and then not any more:
// they no longer reach the database. A key that was used from this address keeps working, and so
// do keys from other addresses. A key that was not used from this address must wait.
func TestMadeUpKeysAreNotLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)
	for _, malformed := range []string{"", "cm_live_", "cm_live_" + "G123456789abcdef0123456789abcdef0123456789abcdef", s.live + "0"} {
		for range 30 {
			b.send(t, http.MethodGet, "/api/charges", key(malformed), "").require(t, http.StatusUnauthorized, "costs no lookup and is not counted")
		}
	}
	counts := map[int]int{}
	for range 100 {
		counts[b.send(t, http.MethodGet, "/api/charges", key(secret.NewAPIKey(true)), "").status]++
	}
	require.Equal(t, map[int]int{http.StatusUnauthorized: 60, http.StatusTooManyRequests: 40}, counts)

	back := b.away(t, "api_keys")
	refused := b.send(t, http.MethodGet, "/api/charges", key(secret.NewAPIKey(false)), "").require(t, http.StatusTooManyRequests)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	b.send(t, http.MethodGet, "/api/charges", key(s.test), "").require(t, http.StatusTooManyRequests, "exists, but was not seen there")
	b.elsewhere("127.0.0.77").send(t, http.MethodGet, "/api/charges", key(s.test), "").require(t, http.StatusInternalServerError, "is looked up elsewhere")
	back()

	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)
	b.elsewhere("127.0.0.77").send(t, http.MethodGet, "/api/charges", key(s.test), "").require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK, "sessions are another thing")
}

// A Tor circuit counts as a client, like an address.
func TestMadeUpKeysThroughTorCountByCircuit(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	list := request{http.MethodGet, "/api/charges", anonymous(), ""}
	for range 60 {
		require.Equal(t, http.StatusUnauthorized, b.through(t, 1, list, "x-api-key", secret.NewAPIKey(true)).status)
	}
	require.Equal(t, http.StatusTooManyRequests, b.through(t, 1, list, "x-api-key", secret.NewAPIKey(true)).status)
	require.Equal(t, http.StatusOK, b.through(t, 2, list, "x-api-key", s.live).status)
	require.Equal(t, http.StatusOK, b.through(t, 1, list, "x-api-key", s.live).status, "seen on another circuit")
}

// Forged tokens are counted too, and never reach the database. A signed token is checked no
// matter which requests came from its address earlier.
func TestMadeUpTokensAreCounted(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	forged := session(s.token[:len(s.token)-4] + "AAAA")
	for range 60 {
		b.send(t, http.MethodGet, "/api/auth/me", forged, "").require(t, http.StatusUnauthorized)
	}
	refused := b.send(t, http.MethodGet, "/api/auth/me", forged, "").require(t, http.StatusTooManyRequests)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
	b.elsewhere("127.0.0.77").send(t, http.MethodGet, "/api/auth/me", forged, "").require(t, http.StatusUnauthorized)
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK, "keys are another thing")
}

// An ended session is looked up 60 times a minute, and then not any more, from any address. The
// account's other sessions keep working.
func TestEndedSessionsAreNotLookedUpWithoutEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	ended := session(s.token)
	s.token = b.as(t, s, http.MethodPut, "/api/account/password",
		fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey dishwasher"}`, password)).require(t, http.StatusOK).text(t, "token")
	for range 60 {
		b.send(t, http.MethodGet, "/api/auth/me", ended, "").require(t, http.StatusUnauthorized)
	}
	back := b.away(t, "merchants")
	refused := b.send(t, http.MethodGet, "/api/auth/me", ended, "").require(t, http.StatusTooManyRequests)
	require.Equal(t, "60", refused.header.Get("Retry-After"))
	b.elsewhere("127.0.0.77").send(t, http.MethodGet, "/api/auth/me", ended, "").require(t, http.StatusTooManyRequests)
	back()
	b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK)
}

// The same holds for sessions and keys of a suspended account. Its keys count with the
// non-existent keys of their address, although they were valid earlier.
func TestSuspendedCredentialsAreNotLookedUpWithoutEnd(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s, other := b.signup(t), b.signup(t)
	for _, k := range []string{s.live, other.live} {
		b.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusOK)
	}
	b.suspend(t, s)
	for range 60 {
		b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusForbidden)
		b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusForbidden)
	}
	for _, table := range []string{"api_keys", "merchants"} {
		back := b.away(t, table)
		b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusTooManyRequests)
		b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusTooManyRequests)
		back()
	}
	b.send(t, http.MethodGet, "/api/charges", key(other.live), "").require(t, http.StatusOK, "a good key of the same address")
	b.as(t, other, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK)
}

// Without rate limits, none of these requests is counted.
func TestWithoutRateLimitsKeysAreNotCounted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 70 {
		b.send(t, http.MethodGet, "/api/charges", key(secret.NewAPIKey(true)), "").require(t, http.StatusUnauthorized)
	}
}

// A session can have a password checked ten times in 15 minutes, right or wrong, on all routes
// together. Other merchants are not affected.
func TestPasswordsOfASessionAreLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s, other := b.signup(t), b.signup(t)
	change := func(s shop, n int) answer {
		return b.send(t, http.MethodPut, "/api/account/email", session(s.token), fmt.Sprintf(`{"email":"%d-%s","password":%q}`, n, s.email, password))
	}
	deletion := `{"password":"wrong horse battery"}`
	for n := range 4 {
		b.send(t, http.MethodPost, "/api/account/delete", session(s.token), deletion).require(t, http.StatusForbidden, n)
	}
	for n := range 6 {
		change(s, n).require(t, http.StatusOK)
	}
	refused := change(s, 7).require(t, http.StatusTooManyRequests)
	require.Equal(t, "900", refused.header.Get("Retry-After"))
	b.send(t, http.MethodPost, "/api/account/delete", session(s.token), deletion).require(t, http.StatusTooManyRequests)
	set := fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey dishwasher"}`, password)
	b.send(t, http.MethodPut, "/api/account/password", session(s.token), set).require(t, http.StatusTooManyRequests)
	change(other, 1).require(t, http.StatusOK)
}
