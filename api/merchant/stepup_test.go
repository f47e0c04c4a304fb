package merchant_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
)

func withStepUp(d *merchant.Deps) { d.StepUp = true }

// asksAgain reports whether an operation may ask for the password again, according to the
// document.
func (o operation) asksAgain() bool {
	forbidden := o.Responses[statusText(http.StatusForbidden)]
	return forbidden != nil && forbidden.Headers["WWW-Authenticate"] != nil
}

// stepUp gives the password again.
func (b *bench) stepUp(t *testing.T, token, body string) answer {
	t.Helper()
	return b.send(t, http.MethodPost, "/api/auth/step-up", session(token), body)
}

func passwordProof() string { return fmt.Sprintf(`{"password":%q}`, password) }

// TestStolenSessionChangesNothingWithoutThePassword simulates a thief with a token that is older
// than ten minutes.
func TestStolenSessionChangesNothingWithoutThePassword(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, withStepUp)
	s := b.own(t)
	b.as(t, s.shop, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK, "right after sign-up")
	b.clock.advance(account.StepUpLife)
	before, asked := b.digest(t), 0
	for _, o := range operations(document()) {
		if !o.asksAgain() {
			continue
		}
		asked++
		a := b.send(t, o.Method, o.Path, session(s.token), sampleOf(t, o, s).body).require(t, http.StatusForbidden, o)
		require.Contains(t, a.header.Get("WWW-Authenticate"), `error="insufficient_user_authentication"`)
		require.Contains(t, a.header.Get("WWW-Authenticate"), `max_age="600"`)
		require.Contains(t, a.body, "/api/auth/step-up")
	}
	require.Equal(t, 12, asked, "staff and their roles, payout address, wallet, automatic conversion, refunds and what of them needs no approval, keys, keys of applications, and both steps of two-factor authentication")
	require.Equal(t, before, b.digest(t))
	// Operations that ask for the password themselves, or do not lead to money, need no step-up.
	b.as(t, s.shop, http.MethodPut, "/api/account/email", fmt.Sprintf(`{"email":"x-%s","password":%q}`, s.email, password)).require(t, http.StatusOK)
	b.as(t, s.shop, http.MethodPut, "/api/account/email", `{"email":"thief@example.com","password":"guess"}`).require(t, http.StatusForbidden)
	b.as(t, s.shop, http.MethodPut, "/api/account/profile", `{"contact":"x"}`).require(t, http.StatusOK)
}

func TestStepUpCountsForOneSessionAndTenMinutes(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, withStepUp)
	s, stranger := b.signup(t), b.signup(t)
	other := b.session(t, s)
	regenerate := func(token string) int {
		return b.send(t, http.MethodPost, "/api/account/keys/regenerate", session(token), `{"type":"sandbox"}`).status
	}
	b.clock.advance(account.StepUpLife)
	require.Equal(t, http.StatusForbidden, regenerate(s.token))
	b.stepUp(t, s.token, `{"password":"a wrong password"}`).require(t, http.StatusForbidden)
	require.Equal(t, http.StatusForbidden, regenerate(s.token))
	for range 2 {
		until := b.stepUp(t, s.token, passwordProof()).require(t, http.StatusOK).text(t, "until")
		require.Equal(t, b.clock.Now().Add(10*time.Minute).Format("2006-01-02T15:04:05.000Z"), until)
	}
	require.Equal(t, http.StatusOK, regenerate(s.token))
	require.Equal(t, http.StatusForbidden, regenerate(other), "another session of the account")
	require.Equal(t, http.StatusForbidden, regenerate(stranger.token))
	b.clock.advance(account.StepUpLife - time.Millisecond)
	require.Equal(t, http.StatusOK, regenerate(s.token))
	b.clock.advance(time.Millisecond)
	require.Equal(t, http.StatusForbidden, regenerate(s.token), "ten minutes are over")

	for _, body := range []string{
		`{}`, `{"password":null}`, `{"password":""}`, `{"password":1}`, `{"totp_code":"123456"}`, `[]`, `{"totp_code":null,"password":null}`,
		fmt.Sprintf(`{"password":%q,"totp_code":"123456"}`, password), `{"Password":"x"}`,
	} {
		b.stepUp(t, s.token, body).require(t, http.StatusBadRequest, body)
	}
	require.Equal(t, http.StatusForbidden, regenerate(s.token))
	for range account.MaxFailures {
		b.stepUp(t, s.token, `{"password":"a wrong password"}`).require(t, http.StatusForbidden)
	}
	b.stepUp(t, s.token, passwordProof()).require(t, http.StatusLocked, "guesses are counted")
	require.Equal(t, http.StatusForbidden, regenerate(s.token))
}

func TestStepUpWithACode(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, withStepUp)
	g := b.guard(t)
	b.clock.advance(account.StepUpLife)
	set := func(extra string) int {
		return b.as(t, g.shop, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q%s}`, payoutAddress, extra)).status
	}
	require.Equal(t, http.StatusBadRequest, set(""), "with two-factor authentication the change itself asks for a code")
	b.stepUp(t, g.token, fmt.Sprintf(`{"totp_code":%q}`, b.wrongCode(t, g.secret))).require(t, http.StatusForbidden)
	code := b.code(t, g.secret, 0)
	b.stepUp(t, g.token, fmt.Sprintf(`{"totp_code":%q}`, code)).require(t, http.StatusOK)
	b.stepUp(t, g.token, fmt.Sprintf(`{"totp_code":%q}`, code)).require(t, http.StatusForbidden, "a code works once")
	require.Equal(t, http.StatusForbidden, set(fmt.Sprintf(`,"totp_code":%q`, code)))
	b.clock.advance(later)
	require.Equal(t, http.StatusOK, set(fmt.Sprintf(`,"totp_code":%q`, b.code(t, g.secret, 0))))
	b.stepUp(t, g.token, passwordProof()).require(t, http.StatusOK)
}

func TestWithoutStepUpASessionIsEnough(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	b.clock.advance(account.TokenLife - time.Second)
	b.as(t, s, http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)).require(t, http.StatusOK)
}

// TestEnablingTwoFactorEndsOtherSessions simulates a thief with one session and the owner with
// another.
func TestEnablingTwoFactorEndsOtherSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	thief := shop{token: b.session(t, s)}
	me := func(s shop) int { return b.as(t, s, http.MethodGet, "/api/auth/me", "").status }
	require.Equal(t, http.StatusOK, me(thief))
	key := b.as(t, s, http.MethodPost, "/api/auth/2fa/setup", "").require(t, http.StatusOK).text(t, "secret")
	require.Equal(t, http.StatusOK, me(thief), "an offer ends nothing")
	b.as(t, s, http.MethodPost, "/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, b.code(t, key, 0))).require(t, http.StatusOK)
	require.Equal(t, http.StatusUnauthorized, me(thief))
	require.Equal(t, http.StatusOK, me(s), "the session that enabled it goes on")
	b.clock.advance(later)
	fresh := shop{token: b.loginWith(t, guarded{shop: s, secret: key}, "totp_code", b.code(t, key, 0)).require(t, http.StatusOK).text(t, "token")}
	require.Equal(t, http.StatusOK, me(fresh))
	changed := b.as(t, fresh, http.MethodPut, "/api/account/password", fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey"}`, password))
	require.Equal(t, http.StatusOK, me(shop{token: changed.require(t, http.StatusOK).text(t, "token")}))
	require.Equal(t, http.StatusUnauthorized, me(s), "a changed password ends the session that went on as well")
	require.Equal(t, http.StatusUnauthorized, me(fresh))
}

// TestTokensThatNameNoSession checks that such tokens are refused, because their session could
// not be ended.
func TestTokensThatNameNoSession(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	now := b.clock.Now()
	for _, without := range []string{"jti", "iat"} {
		claims := map[string]any{"sub": s.id, "ver": 1, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(), "jti": "x"}
		m, err := b.store.GetMerchant(t.Context(), s.id)
		require.NoError(t, err)
		claims["ver"] = m.TokenVersion
		delete(claims, without)
		token := signed(t, jwt.SigningMethodHS256, []byte(strings.Repeat("k", 32)), claims)
		b.send(t, http.MethodGet, "/api/auth/me", session(token), "").require(t, http.StatusUnauthorized, without)
	}
}
