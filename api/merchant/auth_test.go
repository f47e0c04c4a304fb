package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

func TestTokensEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	me := func() answer { return b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "") }
	b.clock.advance(account.TokenLife - time.Minute)
	me().require(t, http.StatusOK)
	b.clock.advance(time.Minute)
	me().require(t, http.StatusUnauthorized)

	fresh := b.login(t, s.email, password).require(t, http.StatusOK)
	s.token = fresh.text(t, "token")
	me().require(t, http.StatusOK)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE merchants SET token_version = token_version + 1 WHERE merchant_id = $1", s.id)
	require.NoError(t, err)
	me().require(t, http.StatusUnauthorized)
}

func (b *bench) login(t *testing.T, email, password string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/auth/login", anonymous(), fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
}

func TestSignup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.send(t, http.MethodPost, "/api/auth/signup", anonymous(),
		`{"email":" Shop@Example.com ","password":"1234567890","businessName":" Tea & <Co> ","extra":{"x":1}}`).require(t, http.StatusOK)
	require.Equal(t, "Shop@Example.com", a.text(t, "merchant.email"))
	require.Equal(t, "Tea & <Co>", a.text(t, "merchant.businessName"))
	require.Regexp(t, `^[0-9a-f]{32}$`, a.text(t, "merchant.merchant_id"))
	require.Regexp(t, `^cm_live_[0-9a-f]{48}$`, a.text(t, "apiKeys.production"))
	require.Regexp(t, `^cm_test_[0-9a-f]{48}$`, a.text(t, "apiKeys.sandbox"))
	require.Regexp(t, `"id":[1-9]`, a.body)
	b.send(t, http.MethodGet, "/api/auth/me", session(a.text(t, "token")), "").require(t, http.StatusOK)

	signup := func(email, password string) answer {
		return b.send(t, http.MethodPost, "/api/auth/signup", anonymous(),
			fmt.Sprintf(`{"email":%q,"password":%q,"businessName":"x"}`, email, password))
	}
	used := signup("shop@example.COM", "1234567890").require(t, http.StatusBadRequest)
	short := signup("new@example.com", "123456789").require(t, http.StatusBadRequest)
	long := signup("new@example.com", strings.Repeat("a", 201)).require(t, http.StatusBadRequest)
	require.Equal(t, used.body, short.body)
	require.Equal(t, used.body, long.body)
	require.NotContains(t, short.body, "123456789")
	signup("new@example.com", strings.Repeat("a", 200)).require(t, http.StatusOK)
	signup("not an email", "1234567890").require(t, http.StatusBadRequest)
	for _, body := range []string{
		`{}`, `{"email":"a@example.com"}`, `{"email":1,"password":"1234567890","businessName":"x"}`,
		`{"email":"a@example.com","password":"1234567890","businessName":""}`,
		`{"email":"a@example.com","password":"1234567890","businessName":"a\u0000b"}`,
		`{"email":"a\u0000@example.com","password":"1234567890","businessName":"ab"}`,
		`{"email":"a@example.com","password":null,"businessName":"ab"}`,
	} {
		b.send(t, http.MethodPost, "/api/auth/signup", anonymous(), body).require(t, http.StatusBadRequest, body)
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	a := b.login(t, strings.ToUpper(s.email), password).require(t, http.StatusOK)
	require.Equal(t, s.email, a.text(t, "merchant.email"))
	require.Equal(t, "Example Shop", a.text(t, "merchant.businessName"))
	wrong := b.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
	unknown := b.login(t, "unknown@example.com", password).require(t, http.StatusUnauthorized)
	require.Equal(t, wrong.body, unknown.body)
	for _, body := range []string{`{}`, `{"email":"a@example.com"}`, `{"email":[],"password":"x"}`, `{"email":"a","password":""}`} {
		b.send(t, http.MethodPost, "/api/auth/login", anonymous(), body).require(t, http.StatusBadRequest, body)
	}
	b.suspend(t, s)
	b.login(t, s.email, password).require(t, http.StatusForbidden)
}

func TestFiveFailuresLockKnownAndUnknownAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for range 4 {
		b.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
	}
	b.login(t, s.email, password).require(t, http.StatusOK) // this resets the count of failed logins
	for _, email := range []string{s.email, "unknown@example.com"} {
		for range 5 {
			b.login(t, email, "wrong").require(t, http.StatusUnauthorized)
		}
		a := b.login(t, email, password).require(t, http.StatusLocked)
		require.Equal(t, "900", a.header.Get("Retry-After"))
	}
	b.clock.advance(account.LockTime)
	b.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
	b.login(t, s.email, password).require(t, http.StatusOK)
}

func TestTwentyFailuresBlockAnAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for i := range 20 {
		b.login(t, fmt.Sprintf("u%d@example.com", i), "wrong").require(t, http.StatusUnauthorized)
	}
	b.login(t, s.email, password).require(t, http.StatusForbidden)
	b.clock.advance(account.IPBlockTime)
	b.login(t, s.email, password).require(t, http.StatusOK)
}
