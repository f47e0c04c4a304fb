package pages

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
)

// resets knows one link; a token of zeros causes an error.
type resets struct {
	valid string
	set   []string
	// end is the token that ends the remaining access.
	end string
}

func (e *resets) ResetLink(_ context.Context, token string) error {
	switch {
	case strings.Trim(token, "0") == "":
		return errors.New(secretText)
	case token != e.valid:
		return ErrGone
	}
	return nil
}

func (e *resets) ResetPassword(ctx context.Context, token, password string) (string, error) {
	err := e.ResetLink(ctx, token)
	switch {
	case err != nil:
		return "", err
	case len(password) < 10:
		return "", ErrPassword
	}
	e.set, e.valid, e.end = append(e.set, password), "", "end"
	return e.end, nil
}

func (e *resets) Stays(_ context.Context, end string) (notice.Grants, error) {
	if end != e.end {
		return notice.Grants{}, ErrGone
	}
	return notice.Grants{Keys: []string{"cm_live_0123", "cm_test_4567"}, Staff: 2, PayoutAddress: "48DCHZ…3FaS4u"}, nil
}

func (e *resets) EndStays(ctx context.Context, end string) error {
	_, err := e.Stays(ctx, end)
	e.end = ""
	return err
}

func TestPasswordIsSetByTheFormOnly(t *testing.T) {
	t.Parallel()
	const path, token = "/reset-password/", testToken
	known := &resets{valid: token}
	router := chi.NewRouter()
	New(Deps{Resets: known, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow }}).Register(router)
	send := func(to string, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, path+to, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		checkHeaders(t, w)
		return w
	}
	form := func(password string) string { return url.Values{"password": {password}}.Encode() }

	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := get(t, router, method, path+token)
		require.Equal(t, http.StatusOK, w.Code)
		checkHeaders(t, w)
	}
	d := parse(t, get(t, router, http.MethodGet, path+token))
	require.Equal(t, path+token, value(t, d.one(t, "form", "method=post"), "action"))
	input := d.one(t, "input", "type=password", "autocomplete=new-password", "minlength=10", "maxlength=200")
	require.Equal(t, "New password", textOf(d.one(t, "label", "for="+value(t, input, "id"))))
	require.Empty(t, d.all("script"))

	for _, body := range []string{"", form("short"), "password=%zz", form(strings.Repeat("x", maxForm))} {
		w := send(token, body)
		require.Equal(t, http.StatusBadRequest, w.Code, body)
		d := parse(t, w)
		input := d.one(t, "input", "aria-invalid=true")
		_, typed := attribute(input, "value")
		require.False(t, typed, "what was typed is not shown again")
		require.Contains(t, textOf(d.one(t, "span", "id="+value(t, input, "aria-describedby"))), "10 to 200")
	}
	require.Empty(t, known.set)

	w := send(token, form("a new password & <b>"))
	require.Equal(t, http.StatusOK, w.Code)
	d = parse(t, w)
	require.Equal(t, "Your password is changed", textOf(d.one(t, "h1")))
	require.Equal(t, []string{"a new password & <b>"}, known.set)
	var lines []string
	for _, line := range d.all("li", "dir=auto") {
		lines = append(lines, textOf(line))
	}
	require.Equal(t, []string{
		"API keys of the account: cm_live_0123, cm_test_4567", "People and invites of the staff: 2", "Payout address: 48DCHZ…3FaS4u",
	}, lines)
	require.Equal(t, "/end-access/end", value(t, d.one(t, "form"), "action"))

	for _, gone := range []string{token, "x", strings.Repeat("cd", 32), strings.Repeat("AB", 32), token + "0"} {
		require.Equal(t, http.StatusGone, get(t, router, http.MethodGet, path+gone).Code, gone)
		require.Equal(t, http.StatusGone, send(gone, form("another password")).Code, gone)
	}
	w = get(t, router, http.MethodGet, path+strings.Repeat("0", 64))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), secretText)
	require.Len(t, known.set, 1)
}

// busyResets has no capacity to hash a password.
type busyResets struct{ resets }

func (*busyResets) ResetPassword(context.Context, string, string) (string, error) {
	return "", fmt.Errorf("password hash: %w", account.ErrBusy)
}

func TestTheFormMayComeAgainWhenTooManyHash(t *testing.T) {
	t.Parallel()
	router := chi.NewRouter()
	New(Deps{Resets: &busyResets{}, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow }}).Register(router)
	r := httptest.NewRequest(http.MethodPost, "/reset-password/"+testToken, strings.NewReader("password=0123456789"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	require.Equal(t, http.StatusTooManyRequests, w.Code)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
}

// FuzzResetForm sends any body to the form and checks that it is answered and that it sets
// only a valid password.
func FuzzResetForm(f *testing.F) {
	f.Add("password=0123456789")
	f.Add("password=%zz&password=x")
	f.Add("")
	f.Fuzz(func(t *testing.T, body string) {
		known := &resets{valid: testToken}
		router := chi.NewRouter()
		New(Deps{Resets: known, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow }}).Register(router)
		r := httptest.NewRequest(http.MethodPost, "/reset-password/"+testToken, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, w.Code)
		require.Equal(t, w.Code == http.StatusOK, len(known.set) == 1)
	})
}
