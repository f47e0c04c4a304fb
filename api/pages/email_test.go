package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"
)

// emails knows the links of one address; a token of zeros causes an error.
type emails struct {
	valid     string
	confirmed int
}

func (e *emails) EmailLink(_ context.Context, token string) error {
	switch {
	case strings.Trim(token, "0") == "":
		return errors.New(secretText)
	case token != e.valid:
		return ErrGone
	}
	return nil
}

func (e *emails) ConfirmEmail(ctx context.Context, token string) error {
	err := e.EmailLink(ctx, token)
	if err == nil {
		e.confirmed++
		e.valid = ""
	}
	return err
}

func TestEmailIsConfirmedByTheButtonOnly(t *testing.T) {
	t.Parallel()
	const token = testToken
	known := &emails{valid: token}
	router := chi.NewRouter()
	New(Deps{Emails: MailLink{known.EmailLink, known.ConfirmEmail}, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow }}).Register(router)
	const path = "/verify-email/"

	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := get(t, router, method, path+token)
		require.Equal(t, http.StatusOK, w.Code)
		checkHeaders(t, w)
	}
	require.Zero(t, known.confirmed, "opening the link confirms nothing")
	d := parse(t, get(t, router, http.MethodGet, path+token))
	require.Equal(t, path+token, value(t, d.one(t, "form", "method=post"), "action"))
	require.Equal(t, "Confirm the address", textOf(d.one(t, "button", "type=submit")))
	require.Contains(t, d.text(), "Account")
	require.NotContains(t, textOf(d.one(t, "header")), "Payment")
	require.Empty(t, d.all("script"))

	w := get(t, router, http.MethodPost, path+token)
	require.Equal(t, http.StatusOK, w.Code)
	checkHeaders(t, w)
	d = parse(t, w)
	require.Equal(t, "Your email address is confirmed", textOf(d.one(t, "h1")))
	require.Empty(t, d.all("form"))
	require.Equal(t, 1, known.confirmed)

	for _, gone := range []string{token, "x", strings.Repeat("cd", 32), strings.Repeat("AB", 32), token + "0"} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			w := get(t, router, method, path+gone)
			require.Equal(t, http.StatusGone, w.Code, gone)
			require.Contains(t, w.Body.String(), "no longer valid")
			checkHeaders(t, w)
		}
	}
	w = get(t, router, http.MethodGet, path+strings.Repeat("0", 64))
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), secretText)
}
