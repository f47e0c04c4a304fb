package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

func TestPasswordChangeEndsEveryEarlierSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	other := b.login(t, s.email, password).require(t, http.StatusOK).text(t, "token")
	put := func(body string) answer {
		return b.send(t, http.MethodPut, "/api/account/password", session(s.token), body)
	}
	const fresh = "purple monkey dishwasher"
	for _, body := range []string{
		`{}`, `{"new_password":"` + fresh + `"}`, `{"current_password":"` + password + `"}`, `{"current_password":"","new_password":"` + fresh + `"}`,
		`{"current_password":1,"new_password":"` + fresh + `"}`, `{"current_password":"` + password + `","new_password":"123456789"}`,
		`{"current_password":"` + password + `","new_password":"` + strings.Repeat("a", 201) + `"}`,
	} {
		put(body).require(t, http.StatusBadRequest, body)
	}
	put(`{"current_password":"wrong","new_password":"`+fresh+`"}`).require(t, http.StatusForbidden)
	b.send(t, http.MethodGet, "/api/auth/me", session(other), "").require(t, http.StatusOK)

	a := put(fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, fresh)).require(t, http.StatusOK)
	require.Equal(t, true, a.field(t, "ok"))
	for _, old := range []string{s.token, other} {
		b.send(t, http.MethodGet, "/api/auth/me", session(old), "").require(t, http.StatusUnauthorized)
	}
	b.send(t, http.MethodGet, "/api/auth/me", session(a.text(t, "token")), "").require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK, "keys stay")
	b.login(t, s.email, password).require(t, http.StatusUnauthorized)
	b.login(t, s.email, fresh).require(t, http.StatusOK)
}

func TestGuessingThePasswordOfASessionIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	routes := []struct{ method, path, body string }{
		{http.MethodPut, "/api/account/password", `{"new_password":"purple monkey dishwasher","current_password":%q}`},
		{http.MethodPut, "/api/account/email", `{"email":"new@example.com","password":%q}`},
		{http.MethodPost, "/api/account/delete", `{"password":%q}`},
	}
	for n := range account.MaxFailures {
		r := routes[n%len(routes)]
		b.send(t, r.method, r.path, session(s.token), fmt.Sprintf(r.body, "wrong")).require(t, http.StatusForbidden)
	}
	for _, r := range routes {
		a := b.send(t, r.method, r.path, session(s.token), fmt.Sprintf(r.body, password)).require(t, http.StatusLocked, r.path)
		require.Equal(t, "900", a.header.Get("Retry-After"))
	}
	b.login(t, s.email, password).require(t, http.StatusOK, "logins are counted apart")
	b.clock.advance(account.LockTime)
	b.send(t, routes[1].method, routes[1].path, session(s.token), fmt.Sprintf(routes[1].body, password)).require(t, http.StatusOK)
}

func TestFailedLoginsDoNotLockASession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for range account.MaxFailures {
		b.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
		b.login(t, "password:"+s.id, "wrong").require(t, http.StatusUnauthorized)
	}
	b.login(t, s.email, password).require(t, http.StatusLocked)
	b.send(t, http.MethodPut, "/api/account/email", session(s.token), fmt.Sprintf(`{"email":"new@example.com","password":%q}`, password)).require(t, http.StatusOK)
}

func TestEmailChangeWithoutVerification(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.signup(t), b.signup(t)
	put := func(body string) answer {
		return b.send(t, http.MethodPut, "/api/account/email", session(s.token), body)
	}
	for _, body := range []string{
		`{}`, `{"email":"new@example.com"}`, `{"email":"new@example.com","password":""}`, `{"password":"` + password + `"}`,
		`{"email":"no address","password":"` + password + `"}`, `{"email":5,"password":"` + password + `"}`,
	} {
		put(body).require(t, http.StatusBadRequest, body)
	}
	put(`{"email":"new@example.com","password":"wrong"}`).require(t, http.StatusForbidden)
	taken := put(fmt.Sprintf(`{"email":%q,"password":%q}`, strings.ToUpper(other.email), password)).require(t, http.StatusBadRequest)
	require.NotContains(t, taken.body, other.id)

	require.JSONEq(t, `{"ok":true}`, put(fmt.Sprintf(`{"email":" New@example.com ","password":%q}`, password)).require(t, http.StatusOK).body)
	me := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
	require.Equal(t, "New@example.com", me.text(t, "merchant.email"))
	require.Equal(t, false, me.field(t, "merchant.emailVerified"))
	b.login(t, s.email, password).require(t, http.StatusUnauthorized)
	b.login(t, "new@example.com", password).require(t, http.StatusOK)
	b.send(t, http.MethodPost, "/api/auth/resend-verification", anonymous(), fmt.Sprintf(`{"email":"new@example.com","password":%q}`, password)).
		require(t, http.StatusBadRequest, "nothing is verified here")
	again := b.send(t, http.MethodPost, "/api/auth/signup", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"x"}`, s.email, password))
	again.require(t, http.StatusOK, "the former address is free")
}

func TestProfile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	put := func(body string) answer {
		return b.send(t, http.MethodPut, "/api/account/profile", session(s.token), body)
	}
	for _, body := range []string{
		`{}`, `{"businessName":""}`, `{"businessName":1}`, `{"contact":[]}`, `{"businessName":"a\u0000b"}`, `{"contact":"a\u0000b"}`,
		`{"businessName":"` + strings.Repeat("a", 201) + `"}`, `{"contact":"` + strings.Repeat("a", 501) + `"}`,
	} {
		put(body).require(t, http.StatusBadRequest, body)
	}
	require.JSONEq(t, `{"ok":true,"businessName":"Tea & Co","contact":"","namesInLinks":false,"mailsReceipts":true,"timeZone":"UTC","defaultCurrency":"EUR"}`, put(`{"businessName":" Tea & Co "}`).require(t, http.StatusOK).body)
	require.JSONEq(t, `{"ok":true,"businessName":"Tea & Co","contact":"Street 1\nTown","namesInLinks":false,"mailsReceipts":true,"timeZone":"UTC","defaultCurrency":"EUR"}`, put(`{"contact":"Street 1\r\nTown","businessName":null}`).require(t, http.StatusOK).body)
	me := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
	require.Equal(t, "Tea & Co", me.text(t, "merchant.businessName"))
	require.Equal(t, "Street 1\nTown", me.text(t, "merchant.contact"))
	require.JSONEq(t, `{"ok":true,"businessName":"Tea & Co","contact":"","namesInLinks":false,"mailsReceipts":true,"timeZone":"UTC","defaultCurrency":"EUR"}`, put(`{"contact":""}`).require(t, http.StatusOK).body)
}

func TestMailingAddressesIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	requireLimit(t, 10, http.StatusForbidden, func() int {
		_, err := b.store.Pool().Exec(t.Context(), "DELETE FROM login_failures")
		require.NoError(t, err)
		return b.send(t, http.MethodPut, "/api/account/email", session(s.token), `{"email":"x@example.com","password":"wrong"}`).status
	})
}

// TestATokensGuessesDoNotLockTheOwnerOut simulates a thief with a copied token who sends more
// guesses than allowed. The owner can still change the password in their own session, which ends
// the thief's session.
func TestATokensGuessesDoNotLockTheOwnerOut(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	thief, owner := s.token, shop{token: b.session(t, s)}
	guess := func() int { return b.stepUp(t, thief, `{"password":"a wrong password"}`).status }
	for range account.MaxFailures {
		require.Equal(t, http.StatusForbidden, guess())
	}
	for range 10 - account.MaxFailures {
		require.Equal(t, http.StatusLocked, guess())
	}
	require.Equal(t, http.StatusTooManyRequests, guess())
	b.as(t, owner, http.MethodPut, "/api/account/password", fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey dishwasher"}`, password)).
		require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/auth/me", session(thief), "").require(t, http.StatusUnauthorized)
}

// TestPasswordsOfAnAccountAreBounded checks the limit by account: a person who knows the
// password can open many sessions, and each check of a password costs a hash.
func TestPasswordsOfAnAccountAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	sessions := []string{s.token, b.session(t, s), b.session(t, s), b.session(t, s)}
	for n := range 30 {
		b.stepUp(t, sessions[n/10], passwordProof()).require(t, http.StatusOK, n)
	}
	require.Equal(t, "900", b.stepUp(t, sessions[3], passwordProof()).require(t, http.StatusTooManyRequests).header.Get("Retry-After"))
}
