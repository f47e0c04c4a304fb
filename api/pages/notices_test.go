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

// noticesOff knows one link, which remains valid; a token of zeros causes an error.
type noticesOff struct{ times int }

func (*noticesOff) NoticesLink(_ context.Context, token string) error {
	switch {
	case strings.Trim(token, "0") == "":
		return errors.New(secretText)
	case token != "good_Token-1":
		return ErrGone
	}
	return nil
}

func (n *noticesOff) TurnNoticesOff(ctx context.Context, token string) error {
	err := n.NoticesLink(ctx, token)
	if err == nil {
		n.times++
	}
	return err
}

func TestNoticesAreTurnedOffByTheButtonOnly(t *testing.T) {
	t.Parallel()
	const path = "/notices/off/"
	known := &noticesOff{}
	router := chi.NewRouter()
	New(Deps{Notices: MailLink{known.NoticesLink, known.TurnNoticesOff}, Log: slog.New(slog.DiscardHandler), PublicURL: testBase, Now: func() time.Time { return testNow }}).Register(router)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		w := get(t, router, method, path+"good_Token-1")
		require.Equal(t, http.StatusOK, w.Code)
		checkHeaders(t, w)
	}
	require.Zero(t, known.times, "opening the link turns nothing off")
	d := parse(t, get(t, router, http.MethodGet, path+"good_Token-1"))
	require.Equal(t, path+"good_Token-1", value(t, d.one(t, "form", "method=post"), "action"))
	require.Equal(t, "Turn off", textOf(d.one(t, "button", "type=submit")))
	for n := range 2 {
		w := get(t, router, http.MethodPost, path+"good_Token-1")
		require.Equal(t, http.StatusOK, w.Code)
		require.Equal(t, "These mails are turned off", textOf(parse(t, w).one(t, "h1")))
		require.Equal(t, n+1, known.times)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, gone := range []string{"x", strings.Repeat("a", maxNoticesToken+1)} {
			require.Equal(t, http.StatusGone, get(t, router, method, path+gone).Code)
		}
		w := get(t, router, method, path+"000")
		require.Equal(t, http.StatusInternalServerError, w.Code)
		require.NotContains(t, w.Body.String(), secretText)
	}
}
