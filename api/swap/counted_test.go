package swap_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/swap"
	"github.com/durapay/durapay/internal/ratelimit"
)

// spent is a counter that reports every client above its limit once shut is set.
type spent struct {
	*ratelimit.Counter

	shut *atomic.Bool
}

// Get returns the number of requests of a client.
func (s spent) Get(key string, current, previous time.Time) (now, before int, err error) {
	if s.shut.Load() {
		return 1 << 20, 0, nil
	}
	return s.Counter.Get(key, current, previous)
}

// uncounted returns the reason why a route is not limited; empty for a limited one.
func uncounted(method, route string) string {
	switch {
	case route == "/livez" || route == "/readyz":
		return "a probe: whoever asks must learn that the service is up"
	case route == "/favicon.ico", strings.HasSuffix(route, ".svg"):
		return "a file that never changes: browsers ask for it once"
	case method == http.MethodOptions:
		return "what browsers ask before a call: the answer is always the same"
	default:
		return ""
	}
}

// TestEveryRouteIsCounted calls each route after the client has reached its limit.
func TestEveryRouteIsCounted(t *testing.T) {
	t.Parallel()
	var shut atomic.Bool
	b := setup(t, nil, func(d *swap.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter { return spent{ratelimit.New(d.Store, bucket, d.Log), &shut} }
	})
	shut.Store(true)
	routes, is := b.handler.(chi.Routes)
	require.True(t, is)
	walked := 0
	require.NoError(t, chi.Walk(routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		if uncounted(method, route) != "" || strings.HasSuffix(route, "*") {
			return nil
		}
		walked++
		status := b.call(t, method, route).status
		if status == http.StatusMethodNotAllowed && method != http.MethodGet && method != http.MethodHead {
			return nil // a method that the dialect's paths are registered for but refuse
		}
		require.Equal(t, http.StatusTooManyRequests, status, "%s %s", method, route)
		return nil
	}))
	require.Greater(t, walked, 40)
}
