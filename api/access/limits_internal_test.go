package access

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
)

// TestTheFormOfAPasswordHashesAsItsClient checks that passwords from forms are hashed in turn by
// client. Otherwise a burst of one client would make all other clients wait.
func TestTheFormOfAPasswordHashesAsItsClient(t *testing.T) {
	t.Parallel()
	var client string
	pages := (&Limits{}).CountGuess(nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { client = account.ClientOf(r.Context()) }))
	for _, address := range []string{"192.0.2.1", "192.0.2.2"} {
		r := httptest.NewRequest(http.MethodPost, account.ResetPath+"x", nil)
		r.RemoteAddr = address + ":1"
		pages.ServeHTTP(httptest.NewRecorder(), r)
		require.Equal(t, address, client)
	}
}

// TestWhoWasNotCountedMakesNothing checks that a page creates no charge for a visitor that was
// not counted.
func TestWhoWasNotCountedMakesNothing(t *testing.T) {
	t.Parallel()
	l := NewLimits(LimitSettings{Counter: func(string) httprate.LimitCounter { return httprate.NewLocalLimitCounter(time.Minute) }, Key: []byte("key"), Clock: time.Now})
	admitted := func(count bool) (is bool) {
		page := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { is = l.AdmitCreation(w, r) }))
		if count {
			page = l.Count(Public, nil)(page)
		}
		page.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/anywhere", http.NoBody))
		return is
	}
	require.False(t, admitted(false))
	require.True(t, admitted(true))
	require.Panics(t, func() { l.Within("unheard of", nil) }, "a limit without a limiter")
}
