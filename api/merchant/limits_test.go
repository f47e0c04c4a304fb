package merchant_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
)

const noCharge = "/api/charges/ch_0123456789abcdef01234567"

// request is one call of a limited operation.
type request struct {
	method, path string
	who          as
	body         string
}

func (b *bench) status(t *testing.T, r request) int {
	t.Helper()
	return b.send(t, r.method, r.path, r.who, r.body).status
}

func TestEveryRateLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	other, third := b.signup(t), b.signup(t)
	get := func(path string, who as) request { return request{http.MethodGet, path, who, ""} }
	post := func(path string, who as) request { return request{http.MethodPost, path, who, "{}"} }
	for _, c := range []struct {
		name   string
		limit  int
		window string
		// spent is how many requests of the limit are already used up.
		spent   int
		first   request
		shares  []request
		spares  []request
		allowed int
	}{
		{
			"signup and login by address", 10, "900", 3, post("/api/auth/login", anonymous()),
			[]request{post("/api/auth/signup", anonymous()), post("/api/auth/login", key(s.live))},
			[]request{get("/api/auth/me", session(s.token))}, http.StatusBadRequest,
		},
		{
			"charges by key", 30, "60", 0, post("/api/charges", key(s.live)), nil,
			[]request{post("/api/charges", key(s.test)), post("/api/charges", key(other.live)), get("/api/charges", key(s.live))},
			http.StatusBadRequest,
		},
		{
			"what makes charges and payments in the sandbox by key", 30, "60", 0, post("/api/test/webhooks/trigger", key(third.test)),
			[]request{
				post("/api/charges", key(third.test)), post("/api/test/charges/ch_x/pay", key(third.test)), post("/api/test/charges/ch_x/confirm", key(third.test)),
				post("/api/test/charges/ch_x/reorg", key(third.test)), post("/api/test/charges/ch_x/expire", key(third.test)),
			},
			[]request{post("/api/charges", key(third.live))}, http.StatusBadRequest,
		},
		{"buttons by address", 30, "60", 0, post("/api/charges/button", anonymous()), nil, nil, http.StatusBadRequest},
		{
			"QR codes by key", 60, "60", 0, get(noCharge+"/qr", key(s.live)), nil,
			[]request{get(noCharge+"/qr", key(s.test)), get(noCharge, key(s.live))}, http.StatusNotFound,
		},
		{
			"public reads and pages by address", 120, "60", 0, get(noCharge+"/public", anonymous()),
			[]request{get("/api/payment-requests/pr_0123456789abcdef01234567/public", anonymous()), get("/pay/ch_0123456789abcdef01234567?lang=de", anonymous()), get("/refund/rf_x/x?lang=de", anonymous()), get("/button?lang=de", anonymous())},
			[]request{get("/api/price/xmr", anonymous()), get("/livez", anonymous()), get("/docs", anonymous()), get("/log-in", anonymous())},
			http.StatusNotFound,
		},
		{
			"everything else by key", 500, "60", 0, get(noCharge, key(other.live)),
			[]request{post("/api/payment-requests", key(other.live)), get("/api/webhooks/deliveries", key(other.live))},
			[]request{get(noCharge, key(s.live)), get("/api/auth/me", session(other.token))}, http.StatusNotFound,
		},
		{
			"everything else by merchant", 500, "60", 1, get("/api/webhooks", session(other.token)),
			[]request{get("/api/payouts/balance", session(other.token))},
			[]request{get("/api/auth/me", session(s.token)), get("/api/webhooks/deliveries", key(s.live))}, http.StatusOK,
		},
		{
			"what has the service knock at others, by merchant", 60, "60", 30, post("/api/webhooks/wh_x/test", session(third.token)),
			[]request{
				post("/api/webhooks/deliveries/whd_x/redeliver", key(third.live)), post("/api/webhooks/deliveries/whd_x/redeliver", key(third.test)),
				post("/api/test/charges/ch_0123456789abcdef01234567/retry-deliveries", key(third.test)),
			},
			[]request{post("/api/webhooks/wh_x/test", session(s.token)), get("/api/webhooks", session(third.token))}, http.StatusNotFound,
		},
		{
			"everything else by address", 500, "60", 3, get("/api/price/xmr", anonymous()),
			[]request{
				post(noCharge+"/buyer-info", anonymous()), get("/docs?lang=de", anonymous()), get("/log-in?lang=de", anonymous()), get("/nothing-here", anonymous()),
			},
			[]request{get("/api/auth/me", session(s.token)), get("/livez", anonymous())}, http.StatusOK,
		},
	} {
		requireLimit(t, c.limit-c.spent, c.allowed, func() int { return b.status(t, c.first) })
		for _, r := range append(c.shares, c.first) {
			refused := b.send(t, r.method, r.path, r.who, r.body)
			require.Equal(t, http.StatusTooManyRequests, refused.status, "%s: %s", c.name, r.path)
			require.Equal(t, c.window, refused.header.Get("Retry-After"), c.name)
			if strings.HasPrefix(r.path, "/api/") || strings.HasPrefix(r.path, "/docs") || r.path == "/nothing-here" {
				refused.require(t, http.StatusTooManyRequests)
			} else {
				require.Contains(t, refused.body, "Zu viele Anfragen", "a page, in the visitor's language")
			}
		}
		for _, r := range c.spares {
			require.NotEqual(t, http.StatusTooManyRequests, b.status(t, r), "%s spares %s", c.name, r.path)
		}
	}
}

// requireLimit makes requests until one is refused, and checks that exactly limit requests were
// allowed.
func requireLimit(t *testing.T, limit, allowed int, request func() int) {
	t.Helper()
	for n := range limit {
		require.Equal(t, allowed, request(), "request %d of %d", n+1, limit)
	}
	require.Equal(t, http.StatusTooManyRequests, request())
}

func TestWithoutRateLimitsNothingIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 150 {
		require.Equal(t, http.StatusNotFound, b.status(t, request{http.MethodGet, noCharge + "/public", anonymous(), ""}))
	}
	for i := range 20 {
		b.login(t, fmt.Sprintf("u%d@example.com", i), "wrong").require(t, http.StatusUnauthorized)
	}
	b.login(t, "u@example.com", "wrong").require(t, http.StatusForbidden, "blocks stay")
}

// twin returns two instances of the API on the same database.
func twin(t *testing.T, change ...func(*merchant.Deps)) (first, second *bench) {
	t.Helper()
	var deps merchant.Deps
	first = setup(t, append(change, withLimits, func(d *merchant.Deps) { deps = *d })...)
	handler, err := merchant.NewHandler(deps)
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	copied := *first
	copied.url = server.URL
	return first, &copied
}

func TestInstancesShareTheSmallLimitsExactly(t *testing.T) {
	t.Parallel()
	one, two := twin(t)
	s := one.signup(t)
	for _, c := range []struct {
		limit, allowed int
		r              request
	}{
		{9, http.StatusBadRequest, request{http.MethodPost, "/api/auth/login", anonymous(), "{}"}}, // after the signup
		{30, http.StatusBadRequest, request{http.MethodPost, "/api/charges", key(s.live), "{}"}},
		{60, http.StatusNotFound, request{http.MethodGet, noCharge + "/qr", key(s.live), ""}},
	} {
		n := 0
		requireLimit(t, c.limit, c.allowed, func() int {
			n++
			return []*bench{one, two}[n%2].status(t, c.r)
		})
	}
}

// TestLimitsSlide uses a limit up at the start of a window. Used requests count until the end of
// the next window, with decreasing weight.
func TestLimitsSlide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit   int
		window  time.Duration
		allowed int
		request request
	}{
		{10, 15 * time.Minute, http.StatusBadRequest, request{http.MethodPost, "/api/auth/login", anonymous(), "{}"}},
		{120, time.Minute, http.StatusNotFound, request{http.MethodGet, noCharge + "/public", anonymous(), ""}},
	} {
		limits := &clock{now: time.Now().UTC().Truncate(c.window)}
		b := setup(t, limitsAt(limits.Now))
		ask := func() int { return b.status(t, c.request) }
		requireLimit(t, c.limit, c.allowed, ask)
		limits.advance(c.window)
		require.Equal(t, http.StatusTooManyRequests, ask())
		limits.advance(c.window / 2)
		requireLimit(t, c.limit/2, c.allowed, ask)
		limits.advance(c.window + c.window/2)
		requireLimit(t, c.limit, c.allowed, ask)
	}
}

// from sends a request whose header claims addresses.
func (b *bench) from(t *testing.T, forwarded string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+noCharge+"/public", http.NoBody)
	require.NoError(t, err)
	req.Header.Set("X-Forwarded-For", forwarded)
	return do(t, req).status
}

func TestForgedAddressesEscapeNoLimit(t *testing.T) {
	t.Parallel()
	trusting := func(d *merchant.Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} }
	for name, c := range map[string]struct {
		change func(*merchant.Deps)
		claim  string
	}{
		"without a proxy":         {func(*merchant.Deps) {}, "192.0.2.%d"},
		"left of the proxy's own": {trusting, "192.0.2.%d, 198.51.100.7"},
		"within an IPv6 network":  {trusting, "2001:db8:1:2::%d"},
	} {
		n := 0
		b := setup(t, withLimits, c.change)
		requireLimit(t, 120, http.StatusNotFound, func() int {
			n++
			return b.from(t, fmt.Sprintf(c.claim, n))
		})
		if name != "without a proxy" {
			require.Equal(t, http.StatusNotFound, b.from(t, "203.0.113.5"), "another client behind the proxy")
			require.Equal(t, http.StatusNotFound, b.from(t, "2001:db8:1:3::1"), "another network")
		}
	}
}
