package merchant_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
)

// over requests a path of the bench on another listener.
func (b *bench) over(t *testing.T, url, method, path string, who as) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url+path, bytes.NewReader(nil))
	require.NoError(t, err)
	if who.name != "" {
		req.Header.Set(who.name, who.value)
	}
	return do(t, req)
}

// TestOperatorsAreServedOnTheInternalListener requests every operator route on each listener,
// with an operator's token.
func TestOperatorsAreServedOnTheInternalListener(t *testing.T) {
	t.Parallel()
	for _, public := range []bool{false, true} {
		b := setup(t, withLimits, func(d *merchant.Deps) { d.AdminPublic = public })
		s := b.own(t)
		n := 0
		for _, o := range operations(document()) {
			if !o.admin() {
				continue
			}
			n++
			path := s.pathOf(t, o)
			for _, path := range []string{path, "/api/v1" + path[len("/api"):]} {
				got := b.over(t, b.url, o.Method, path, session(s.operator)).status
				if public {
					require.NotContains(t, []int{http.StatusNotFound, http.StatusForbidden}, got, path)
				} else {
					require.Equal(t, http.StatusNotFound, got, path)
				}
				require.NotContains(t, []int{http.StatusNotFound, http.StatusForbidden}, b.over(t, b.internal, o.Method, path, session(s.operator)).status, path)
				require.Equal(t, http.StatusUnauthorized, b.over(t, b.internal, o.Method, path, anonymous()).status, path)
				require.Equal(t, http.StatusForbidden, b.over(t, b.internal, o.Method, path, session(s.token)).status, path)
				require.Equal(t, http.StatusNotFound, b.through(t, 1, request{o.Method, path, anonymous(), ""}, "Authorization", "Bearer "+s.operator).status, "onion: %s", path)
			}
		}
		require.Equal(t, 28, n)
	}
}

func TestOperatorsNeedASecondFactorAndAFreshLogin(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	admin := b.admin(t)
	list := func() answer { return b.as(t, admin, http.MethodGet, "/api/admin/merchants", "") }
	list().require(t, http.StatusOK)
	begun := b.clock.Now().Truncate(time.Second)
	b.clock.advance(begun.Add(account.AdminSessionLife).Sub(b.clock.Now()) - time.Millisecond)
	list().require(t, http.StatusOK)
	b.clock.advance(time.Millisecond)
	list().require(t, http.StatusUnauthorized, "12 hours after the login")
	b.as(t, admin, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK, "the session itself goes on")
	b.stepUp(t, admin.token, passwordProof()).require(t, http.StatusOK)
	list().require(t, http.StatusUnauthorized, "the password alone is no login")
	admin.token = b.session(t, admin)
	list().require(t, http.StatusOK)

	b.exec(t, "UPDATE merchants SET totp_enabled_at = NULL WHERE merchant_id = $1", admin.id)
	require.Contains(t, list().require(t, http.StatusForbidden).body, "two-factor")
	b.clock.advance(2 * time.Second)
	b.exec(t, "UPDATE merchants SET totp_enabled_at = $2 WHERE merchant_id = $1", admin.id, b.clock.Now())
	require.Contains(t, list().require(t, http.StatusForbidden).body, "log in again", "a session that began without a code")
	admin.token = b.session(t, admin)
	list().require(t, http.StatusOK)
}

// TestAnotherPasswordIsNoLoginOfOperators simulates a thief who has an operator's token and
// password but no second factor.
func TestAnotherPasswordIsNoLoginOfOperators(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	admin, now := b.admin(t), password
	list := func() answer { return b.as(t, admin, http.MethodGet, "/api/admin/merchants", "") }
	change := func(to string) {
		body := fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, now, to)
		admin.token = b.as(t, admin, http.MethodPut, "/api/account/password", body).require(t, http.StatusOK).text(t, "token")
		now = to
	}
	b.clock.advance(account.AdminSessionLife / 2)
	change("purple monkey dishwasher")
	list().require(t, http.StatusOK, "12 hours count from the login")
	b.clock.advance(account.AdminSessionLife / 2)
	list().require(t, http.StatusUnauthorized)
	change("orange monkey dishwasher")
	list().require(t, http.StatusUnauthorized, "a password alone is no login")
	change("yellow monkey dishwasher")
	list().require(t, http.StatusUnauthorized, "nor is the next one")
	b.as(t, admin, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK)

	b.exec(t, "UPDATE merchants SET totp_enabled_at = $2 WHERE merchant_id = $1", admin.id, b.clock.Now())
	admin.token = b.session(t, admin)
	list().require(t, http.StatusOK)
	b.clock.advance(2 * time.Second)
	b.exec(t, "UPDATE merchants SET totp_enabled_at = $2 WHERE merchant_id = $1", admin.id, b.clock.Now())
	change("purple monkey dishwasher")
	require.Contains(t, list().require(t, http.StatusForbidden).body, "log in again", "the session began without a code")
}

// TestOperatorsAreNotServedOnAMirrorThatRevealsNoCircuits uses a Tor that does not reveal circuits
// and forwards to the public listener, where operators are served by configuration.
func TestOperatorsAreNotServedOnAMirrorThatRevealsNoCircuits(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	admin := b.admin(t)
	for _, path := range []string{"/api/admin/merchants", "/api/v1/admin/merchants"} {
		b.at(t, onionHost, path, "Authorization", "Bearer "+admin.token).require(t, http.StatusNotFound, path)
		b.at(t, "pay.example.com", path, "Authorization", "Bearer "+admin.token).require(t, http.StatusOK, path)
	}
}
