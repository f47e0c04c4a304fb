package merchant_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/ratelimit"
)

// spent is a counter that reports every client as over its limit, once shut is set.
type spent struct {
	*ratelimit.Counter

	shut *atomic.Bool
}

// Get returns how many requests a client has made.
func (s spent) Get(key string, current, previous time.Time) (now, before int, err error) {
	if s.shut.Load() {
		return 1 << 20, 0, nil
	}
	return s.Counter.Get(key, current, previous)
}

// uncounted returns why a route has no rate limit, or "" for a route that needs one.
func uncounted(route string) string {
	switch method, path, _ := strings.Cut(route, " "); {
	case path == "/livez" || path == "/readyz":
		return "a probe: whoever asks must learn that the service is up"
	case path == "/api/v1/health":
		return "a probe of plugins"
	case path == "/favicon.ico", strings.HasPrefix(path, "/static/"), strings.HasPrefix(path, "/desk/"), strings.HasPrefix(path, opdesk.Root+"/static/"):
		return "a file that never changes: browsers ask for it once"
	case path == opdesk.Root+"/*", path == opdesk.Root, path == opdesk.Root+"/":
		return "the operators' desk, whose routes are asked one by one; its own / is among them: " + method
	default:
		return ""
	}
}

// walked returns all routes of the service, in the form "GET /pay/{id}".
func (b *bench) walked(t *testing.T) (all []string) {
	t.Helper()
	routes, is := b.handler.(chi.Routes)
	require.True(t, is)
	require.NoError(t, chi.Walk(routes, func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		all = append(all, method+" "+route)
		return nil
	}))
	return all
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// TestEveryRouteIsCounted requests each route of each listener with a valid credential, after
// the client has used up its limit.
func TestEveryRouteIsCounted(t *testing.T) {
	t.Parallel()
	var shut atomic.Bool
	b := setup(t, func(d *merchant.Deps) {
		d.Counter = func(bucket string) httprate.LimitCounter {
			counter := ratelimit.New(d.Store, bucket, d.Log)
			if strings.HasPrefix(bucket, "made-up-") { // this bucket counts invalid credentials, and here all are valid
				return counter
			}
			return spent{counter, &shut}
		}
	})
	s := b.admin(t)
	token := b.session(t, s)
	shut.Store(true)

	header := func(path string) []string {
		if greenfield.Owns(path) {
			return []string{"Authorization", "token " + s.live}
		}
		return []string{"Authorization", "Bearer " + token, "X-Api-Key", s.live}
	}
	status := func(base, route string) int {
		method, path, _ := strings.Cut(route, " ")
		path = strings.ReplaceAll(strings.TrimSuffix(path, "*"), "{storeId}", s.id)
		path = strings.ReplaceAll(path, "{invoiceId:ch_[0-9a-f]+}", "ch_0123456789abcdef01234567")
		path = placeholder.ReplaceAllString(path, "x")
		body := ""
		if method != http.MethodGet && method != http.MethodHead {
			body = "{}"
		}
		if base == onionURL {
			return b.through(t, 1, request{method, path, anonymous(), body}, header(path)...).status
		}
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		require.NoError(t, err)
		for i, h := 0, header(path); i < len(h); i += 2 {
			req.Header.Set(h[i], h[i+1])
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		return do(t, req).status
	}
	all := b.walked(t)
	require.Greater(t, len(all), 200)
	for _, route := range all {
		if uncounted(route) != "" {
			continue
		}
		if strings.Contains(route, " /api/admin/") {
			require.Equal(t, http.StatusTooManyRequests, status(b.internal, route), route)
			continue
		}
		require.Equal(t, http.StatusTooManyRequests, status(b.url, route), route)
		require.Equal(t, http.StatusTooManyRequests, status(onionURL, route), "%s of the onion mirror", route)
	}
	for _, route := range opdesk.Routes() {
		require.Equal(t, http.StatusTooManyRequests, status(b.internal, route), route)
	}
	require.Equal(t, http.StatusTooManyRequests, status(b.url, "GET /not-there"))
}

// TestALongQueryIsNotRepeated checks that links to the same page in other languages keep only
// the parameters that the page reads, and only if they are short.
func TestALongQueryIsNotRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	junk := "/log-in?lang=de"
	for i := range 3000 {
		junk += fmt.Sprintf("&a%d", i)
	}
	for _, path := range []string{junk, "/log-in?next=/" + strings.Repeat("a", 30_000), "/not-there?next=/" + strings.Repeat("a", 30_000), "/pay/x?refresh=off&" + junk[16:]} {
		a := b.send(t, http.MethodGet, path, as{"Accept", "text/html"}, "")
		require.Less(t, len(a.body), 20_000, path[:20])
	}
	kept := b.send(t, http.MethodGet, "/log-in?next=%2Fcharges&x=y", anonymous(), "")
	require.Contains(t, kept.body, `href="?lang=de&amp;next=%2Fcharges"`)
}

// TestTheMirrorCountsPagesOfRefunds checks that the onion mirror counts reading and claiming a
// refund by circuit.
func TestTheMirrorCountsPagesOfRefunds(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	link := "/refund/rf_0123456789abcdef01234567/" + strings.Repeat("a", 64)
	n := 0
	requireLimit(t, 120, http.StatusNotFound, func() int {
		n++
		return b.through(t, 1, request{[]string{http.MethodGet, http.MethodPost}[n%2], link, anonymous(), ""}).status
	})
	require.Equal(t, http.StatusNotFound, b.through(t, 2, request{http.MethodGet, link, anonymous(), ""}).status)
}
