package merchant_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/ratelimit"
)

// withLimits turns the rate limits on. Their clock stands still, so that no window ends or
// slides during a test, no matter how long the test takes.
func withLimits(d *merchant.Deps) {
	at := d.Clock()
	limitsAt(func() time.Time { return at })(d)
}

// limitsAt is withLimits with another clock.
func limitsAt(clock func() time.Time) func(*merchant.Deps) {
	return func(d *merchant.Deps) {
		store, log := d.Store, d.Log
		d.Counter = func(bucket string) httprate.LimitCounter {
			return ratelimit.New(store, bucket, log, ratelimit.At(clock), ratelimit.Within(time.Minute))
		}
	}
}

func TestRefusedValuesAreNotRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	for _, body := range []string{`{"address":"hunter2"}`, `{"address":{"a":"hunter2"}}`} {
		a := b.send(t, http.MethodPut, "/api/account/payout", session(s.token), body).require(t, http.StatusBadRequest)
		require.NotContains(t, a.body, "hunter2")
	}
}

func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{
		"/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/v1/charges", "/api/nothing", "/api/charges/", "/api/v2/charges", "/api//charges", "/%00", "/api/charges/a/b/c",
	} {
		b.send(t, http.MethodGet, path, anonymous(), "").require(t, http.StatusNotFound, path)
	}
}

func TestOtherMethodsAnswer405WithAllow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	doc := document()
	before := b.digest(t)
	for _, o := range operations(doc) {
		paths := []string{s.pathOf(t, o)}
		if rest, ok := strings.CutPrefix(paths[0], "/api/"); ok {
			paths = append(paths, "/api/v1/"+rest)
		}
		allowed := methodsOf(doc, paths[0])
		for _, method := range []string{
			http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace, "PURGE", "get",
		} {
			if slices.Contains(allowed, method) {
				continue
			}
			for _, path := range paths {
				a := b.send(t, method, path, s.credential(t, o), "")
				require.Equal(t, http.StatusMethodNotAllowed, a.status, "%s %s", method, path)
				require.Equal(t, strings.Join(allowed, ", "), a.header.Get("Allow"), "%s %s", method, path)
				require.Len(t, a.header.Get("X-Request-Id"), 24)
				if method != http.MethodHead {
					a.require(t, http.StatusMethodNotAllowed)
				}
			}
		}
	}
	require.Equal(t, before, b.digest(t))
}

func TestHeadAndVersionedPathsAnswerLikeGet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	for _, o := range operations(document()) {
		if o.Method != http.MethodGet {
			continue
		}
		for _, query := range []string{"", "?limit=3&currency=EUR&format=png&unknown=%ff", "?limit=x&currency=x&format=csv&period=x"} {
			for _, who := range []as{s.credential(t, o), anonymous()} {
				b.requireAlike(t, s.pathOf(t, o)+query, who)
			}
		}
	}
	for _, path := range []string{"/api/nothing", "/api/charges/ch_x", "/api/charges?order_id=x"} {
		b.requireAlike(t, path, key(s.live))
	}
}

// requireAlike compares the answer to GET with those to HEAD and at the versioned path.
func (b *bench) requireAlike(t *testing.T, path string, who as) {
	t.Helper()
	get := b.send(t, http.MethodGet, path, who, "")
	head := b.send(t, http.MethodHead, path, who, "")
	require.Equal(t, get.status, head.status, path)
	require.Empty(t, head.body)
	require.Equal(t, get.header.Get("Content-Type"), head.header.Get("Content-Type"), path)
	if rest, ok := strings.CutPrefix(path, "/api/"); ok {
		versioned := b.send(t, http.MethodGet, "/api/v1/"+rest, who, "")
		require.Equal(t, get.status, versioned.status, path)
		require.Equal(t, get.body, versioned.body, path)
		for name, values := range get.header {
			if name != "X-Request-Id" && name != "Date" && name != "Onion-Location" {
				require.Equal(t, values, versioned.header[name], "%s: %s", path, name)
			}
		}
	}
}

func TestBrowsersFindNoErrorWhereTheyLookForAnIcon(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		a := b.send(t, method, "/favicon.ico", anonymous(), "")
		require.Equal(t, http.StatusNoContent, a.status)
		require.Empty(t, a.body)
	}
}

func TestHeadersOfEveryAnswer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	seen := map[string]bool{}
	for _, path := range []string{"/api/price/xmr?currency=USD&a=%20b", "/api/nothing?x=1", "/api/v1/charges", "/docs", "/pay/ch_x"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
		require.NoError(t, err)
		req.Header.Set("X-Request-Id", "mine")
		a := do(t, req)
		id := a.header.Get("X-Request-Id")
		require.Len(t, id, 24)
		require.False(t, seen[id])
		seen[id] = true
		require.Equal(t, onionURL+path, a.header.Get("Onion-Location"))
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"))
	}
}
