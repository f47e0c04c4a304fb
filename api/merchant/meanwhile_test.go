package merchant_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// lateBody is a body that the client does not send until the test allows it.
type lateBody struct {
	io.Reader
	asked, send chan struct{}
}

// Read is called for the first time when the service waits for the body.
func (l *lateBody) Read(p []byte) (int, error) {
	select {
	case <-l.send:
	default:
		l.asked <- struct{}{}
		<-l.send
	}
	return l.Reader.Read(p)
}

// begin starts a request. The channel receives its status, or 0 if there is no answer.
func begin(req *http.Request, by http.RoundTripper) <-chan int {
	status := make(chan int, 1)
	go func() {
		res, err := by.RoundTrip(req)
		if err != nil {
			status <- 0
			return
		}
		_ = res.Body.Close()
		status <- res.StatusCode
	}()
	return status
}

// meanwhile makes a request. It sends the body after the service has asked for it (100 Continue)
// and do has run. It returns the status.
func (b *bench) meanwhile(t *testing.T, method, path string, who as, body string, do func()) int {
	t.Helper()
	late := &lateBody{strings.NewReader(body), make(chan struct{}, 1), make(chan struct{})}
	req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, late)
	require.NoError(t, err)
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Expect", "100-continue")
	req.Header.Set(who.name, who.value)
	status := begin(req, &http.Transport{DisableKeepAlives: true, ExpectContinueTimeout: time.Hour})
	<-late.asked
	do()
	close(late.send)
	return <-status
}

// TestAChangeThatIsUnderWayEndsWithItsSession simulates a thief with a valid session who holds
// back the bodies of requests until the owner has changed the password.
func TestAChangeThatIsUnderWayEndsWithItsSession(t *testing.T) {
	t.Parallel()
	const other = "purple monkey dishwasher"
	for name, change := range map[string]struct{ method, path, body string }{
		"payout address": {http.MethodPut, "/api/account/payout", fmt.Sprintf(`{"address":%q}`, payoutAddress)},
		"key":            {http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`},
		"email":          {http.MethodPut, "/api/account/email", fmt.Sprintf(`{"email":"thief@example.com","password":%q}`, password)},
		"deletion":       {http.MethodPost, "/api/account/delete", fmt.Sprintf(`{"password":%q}`, password)},
		"second factor":  {http.MethodPost, "/api/auth/2fa/verify", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, withLimits)
			s := b.signup(t)
			thief := shop{token: b.session(t, s)}
			if change.body == "" {
				key := b.as(t, thief, http.MethodPost, "/api/auth/2fa/setup", "").require(t, http.StatusOK).text(t, "secret")
				change.body = fmt.Sprintf(`{"code":%q}`, b.code(t, key, 0))
			}
			var before string
			status := b.meanwhile(t, change.method, change.path, session(thief.token), change.body, func() {
				s.token = b.as(t, s, http.MethodPut, "/api/account/password",
					fmt.Sprintf(`{"current_password":%q,"new_password":%q}`, password, other)).require(t, http.StatusOK).text(t, "token")
				before = b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK).body
			})
			require.Equal(t, http.StatusUnauthorized, status)
			require.Equal(t, before, b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK).body)
			b.as(t, thief, http.MethodGet, "/api/auth/me", "").require(t, http.StatusUnauthorized)
			b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK, "the key")
		})
	}
}

// TestEveryChangeThatIsUnderWayEndsWithItsSession does the same with every operation that
// changes something with a session and has a body. With the rate limits on, the request is
// refused and has changed nothing.
func TestEveryChangeThatIsUnderWayEndsWithItsSession(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	played := 0
	for n, o := range operations(document()) {
		if o.kind != sessionKind || o.Method == http.MethodGet || !o.takes("application/json") {
			continue
		}
		here := b.elsewhere(fmt.Sprintf("127.0.2.%d", n+1))
		s := here.own(t)
		sample := sampleOf(t, o, s)
		if body := sample.ready(t, here, s); body != "" {
			sample.body = body
		}
		var before map[string]string
		status := here.meanwhile(t, o.Method, s.pathOf(t, o), s.credential(t, o), sample.body, func() {
			here.send(t, http.MethodPut, "/api/account/password", s.credential(t, o),
				fmt.Sprintf(`{"current_password":%q,"new_password":"orange monkey dishwasher"}`, password)).require(t, http.StatusOK, o)
			before = here.digest(t)
		})
		require.Equal(t, http.StatusUnauthorized, status, o)
		require.Equal(t, before, here.digest(t), o)
		played++
	}
	require.Equal(t, 28, played)
}

// TestAPasswordThatIsUnderWayEndsWithItsSession simulates a thief who knows the password. The
// thief holds a change of the password back until the owner has turned on two-factor
// authentication, which ends the thief's session.
func TestAPasswordThatIsUnderWayEndsWithItsSession(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	thief := b.session(t, s)
	change := fmt.Sprintf(`{"current_password":%q,"new_password":"purple monkey dishwasher"}`, password)
	status := b.meanwhile(t, http.MethodPut, "/api/account/password", session(thief), change, func() {
		key := b.as(t, s, http.MethodPost, "/api/auth/2fa/setup", "").require(t, http.StatusOK).text(t, "secret")
		b.as(t, s, http.MethodPost, "/api/auth/2fa/verify", fmt.Sprintf(`{"code":%q}`, b.code(t, key, 0))).require(t, http.StatusOK)
	})
	require.Equal(t, http.StatusUnauthorized, status)
	b.as(t, s, http.MethodGet, "/api/auth/me", "").require(t, http.StatusOK, "the owner's session goes on")
	b.login(t, s.email, password).require(t, http.StatusOK, "with the password that it had")
}

// TestWhatIsUnderWayEndsWithItsKey holds back the body of a request until its key is replaced,
// or its account is suspended or deleted.
func TestWhatIsUnderWayEndsWithItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	played := 0
	for _, o := range operations(document()) {
		if o.kind != keyKind || o.Method == http.MethodGet || !o.takes("application/json") {
			continue
		}
		played++
		for name, end := range map[string]func(s shop) (status int){
			"replaced": func(s shop) int {
				b.as(t, s, http.MethodPost, "/api/account/keys/regenerate", `{"type":"production"}`).require(t, http.StatusOK)
				return http.StatusUnauthorized
			},
			"deleted": func(s shop) int {
				b.deleteAccount(t, s, password).require(t, http.StatusOK)
				return http.StatusUnauthorized
			},
			"suspended": func(s shop) int {
				b.exec(t, "UPDATE merchants SET suspended_at = now() WHERE merchant_id = $1", s.id)
				return http.StatusForbidden
			},
		} {
			s := b.signup(t)
			var before map[string]string
			var want int
			status := b.meanwhile(t, o.Method, o.Path, key(s.live), o.example(t), func() {
				want = end(s)
				before = b.digest(t)
			})
			require.Equal(t, want, status, "%s: %s", o, name)
			require.Equal(t, before, b.digest(t), "%s: %s", o, name)
		}
	}
	require.Equal(t, 9, played)
}

// TestAPaymentRequestWaitsForTheEndOfItsKey replaces the key at the very moment at which the
// payment request is inserted.
func TestAPaymentRequestWaitsForTheEndOfItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	tx, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.WithoutCancel(t.Context())) }()
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM merchants WHERE merchant_id = $1 FOR NO KEY UPDATE", s.id)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "UPDATE api_keys SET key_hash = $2 WHERE merchant_id = $1 AND mode = 'live'", s.id, []byte(s.id))
	require.NoError(t, err)
	status := make(chan int, 1)
	go func() {
		status <- b.statusOf(t.Context(), "/api/payment-requests", key(s.live), `{"amount":1.5}`)
	}()
	pgtest.AwaitBlocked(t, b.store, tx, 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.Equal(t, http.StatusUnauthorized, <-status)
}
