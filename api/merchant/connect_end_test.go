package merchant_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

// TestNoStepProlongsALogin checks that a login ends ten minutes after the password was given, no
// matter which forms are posted meanwhile.
func TestNoStepProlongsALogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	v := &browser{b: b}
	in := v.fill(t, v.open(t, woo(), nil), "email", g.email, "password", password)
	asked := v.open(t, in.header.Get("Location"), nil)
	b.clock.advance(6 * time.Minute)
	next := v.fill(t, asked, "code", b.code(t, g.secret, 0))
	require.Equal(t, http.StatusSeeOther, next.status, next.body)
	asks := v.open(t, next.header.Get("Location"), nil)
	require.True(t, strings.HasPrefix(asks.action(), account.ConnectPath+"/answer"), asks.body)

	kept := v.cookie
	again := v.open(t, account.ConnectPath+"/code", url.Values{"request": asks.hidden()["request"]})
	require.Equal(t, http.StatusGone, again.status, "no code is asked for")
	require.Equal(t, kept, v.cookie, "and the login is the same")
	b.clock.advance(4 * time.Minute)
	require.Equal(t, http.StatusGone, v.fill(t, asks, "answer", "allow").status, "the password is ten minutes old")
	require.True(t, strings.HasPrefix(v.open(t, woo(), nil).action(), account.ConnectPath+"/log-in"))
	require.Empty(t, b.keysOf(t, g.shop))
}

// TestAnAnswerEndsTheLogin checks that a login allows only one answer. A thief with its cookie
// cannot give a second one, and neither can a page that was opened earlier.
func TestAnAnswerEndsTheLogin(t *testing.T) {
	t.Parallel()
	b := setup(t)
	evil := woo("applicationName", "Evil", "redirect", "https://evil.example/k")
	for answered, keys := range map[string]int{"allow": 1, "deny": 0} {
		s := b.signup(t)
		v := &browser{b: b}
		asks := v.consent(t, s, woo())
		other := v.open(t, evil, nil)
		require.True(t, strings.HasPrefix(other.action(), account.ConnectPath+"/answer"), answered)
		cookie := v.cookie
		first := v.fill(t, asks, "answer", answered)
		require.Equal(t, http.StatusOK, first.status, first.body)
		again := (&browser{b, cookie}).fill(t, asks, "answer", answered)
		require.Equal(t, http.StatusOK, again.status, "the button was pressed twice: %s", again.body)
		require.Equal(t, first.hidden(), again.hidden(), answered)
		require.Equal(t, http.StatusGone, (&browser{b, cookie}).fill(t, other, "answer", "allow").status, answered)
		if answered == "allow" {
			no := (&browser{b, cookie}).fill(t, asks, "answer", "deny")
			require.Equal(t, http.StatusGone, no.status, "the application has its key")
			require.NotContains(t, no.body, "Nothing was allowed")
		} else {
			require.Equal(t, http.StatusGone, (&browser{b, cookie}).fill(t, asks, "answer", "allow").status, "no is no")
		}
		require.True(t, strings.HasPrefix((&browser{b, cookie}).open(t, evil, nil).action(), account.ConnectPath+"/log-in"), answered)
		require.Len(t, b.keysOf(t, s), keys, answered)
		// To connect another application, the merchant must log in again.
		require.Equal(t, http.StatusOK, v.fill(t, v.consent(t, s, evil), "answer", "allow").status)
		require.Len(t, b.keysOf(t, s), keys+1, answered)
	}

	// Two pages are answered at the same time.
	s := b.signup(t)
	v := &browser{b: b}
	pages := []answer{v.consent(t, s, woo()), v.open(t, evil, nil)}
	var clicks sync.WaitGroup
	for _, page := range pages {
		clicks.Go(func() { (&browser{b, v.cookie}).fill(t, page, "answer", "allow") })
	}
	clicks.Wait()
	require.Len(t, b.keysOf(t, s), 1)
}
