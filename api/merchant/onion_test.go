package merchant_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/postgres/db"
)

// at sends a request to a host name of the service.
func (b *bench) at(t *testing.T, host, path string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.url+path, http.NoBody)
	require.NoError(t, err)
	req.Host = host
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(t, req)
}

var onionHost = strings.TrimPrefix(onionURL, "http://")

const onionPage = "/pay/ch_0123456789abcdef01234567"

// visit opens a page of the onion mirror, with or without a cookie.
func (b *bench) visit(t *testing.T, cookie string, header ...string) answer {
	t.Helper()
	if cookie != "" {
		header = append(header, "Cookie", cookie)
	}
	return b.at(t, onionHost, onionPage, header...)
}

// session returns the cookie that an answer sets.
func (a answer) session() string {
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return cookie
}

func TestOnionPagesAreLimitedBySession(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	first := b.visit(t, "")
	require.Equal(t, http.StatusNotFound, first.status)
	require.Contains(t, first.header.Get("Set-Cookie"), "HttpOnly; SameSite=Lax")
	mine, theirs := first.session(), b.visit(t, "").session()
	require.NotEqual(t, mine, theirs)
	requireLimit(t, 120, http.StatusNotFound, func() int {
		a := b.visit(t, mine)
		require.Empty(t, a.header.Get("Set-Cookie"), "a session stays")
		return a.status
	})
	require.Equal(t, http.StatusNotFound, b.visit(t, theirs).status, "other sessions are not held up")
	require.Equal(t, http.StatusNotFound, b.at(t, "pay.example.com", onionPage).status, "nor are addresses")

	// Two requests of the newcomers' common share are used up. A forged or expired cookie counts as
	// none.
	old := b.visit(t, "").session()
	require.Equal(t, http.StatusNotFound, b.visit(t, old).status)
	b.clock.advance(24 * time.Hour)
	cookies := []string{"", "durapay_visit=1.a.b", mine + "x", old, "durapay_visit=" + strings.Repeat("9", 19) + ".a."}
	n := 0
	requireLimit(t, 117, http.StatusNotFound, func() int {
		n++
		return b.visit(t, cookies[n%len(cookies)]).status
	})
}

func TestNamingTheOnionHostEscapesNoLimit(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits, func(d *merchant.Deps) {
		d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	requireLimit(t, 120, http.StatusNotFound, func() int {
		a := b.visit(t, "", "X-Forwarded-For", "203.0.113.5")
		require.Empty(t, a.header.Get("Set-Cookie"), "it came through the proxy, not through Tor")
		return a.status
	})
}

// A client whose connections come from nearby names the onion host and collects sessions. All
// connections look like that behind a Docker proxy that is not configured as trusted. Together
// such sessions have the limit of ten visitors. Clients that come in another way are not
// affected.
func TestManySessionsOfANeighbourWinLittle(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	var sessions []string
	for range 12 {
		sessions = append(sessions, b.visit(t, "").session())
	}
	n := 0
	requireLimit(t, 1200, http.StatusNotFound, func() int { n++; return b.visit(t, sessions[n%len(sessions)]).status })
	require.Equal(t, http.StatusNotFound, b.page(t, 1, sessions[0]).status, "on a circuit")
	require.Equal(t, http.StatusNotFound, b.at(t, "pay.example.com", onionPage).status, "by address")
}

func TestOnionMirrorServesTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	request := b.requested(t, s.live, `{"amount":1.5,"fields":["email"]}`)
	id := b.charge(t, s, "live")
	gone := b.charge(t, s, "live", func(row *db.InsertChargeParams) { row.LinkExpiresAt = &row.CreatedAt })
	for _, path := range []string{
		"/api/charges/" + id + "/public", "/api/v1/charges/" + id + "/public", "/api/charges/" + gone + "/public",
		"/api/charges", "/api/charges/" + id, "/api/charges/" + id + "/qr?format=png", "/api/payment-requests/" + request + "/public",
		"/api/payment-requests", "/api/nothing?x=%20", "/api/auth/login", "/pay/" + id, "/pay/" + gone, "/pay/" + request,
		"/pay/" + id + "/qr.png", "/pay/nothing", "/button?merchant_id=" + s.id, "/openapi.json", "/docs", "/livez", "/readyz",
	} {
		plain := b.at(t, strings.TrimPrefix(publicURL, "https://"), path, "x-api-key", s.live)
		onion := b.at(t, onionHost, path, "x-api-key", s.live)
		require.Equal(t, plain.status, onion.status, path)
		require.Equal(t, plain.body, onion.body, path)
		for _, a := range []answer{plain, onion} {
			require.Equal(t, onionURL+path, a.header.Get("Onion-Location"), path)
		}
	}
	shown := b.at(t, onionHost, "/api/charges/"+id+"/public")
	require.Equal(t, publicURL+"/pay/"+id, shown.text(t, "payment_url"), "the configured public URL on both")
}

func TestEveryRefusalNamesTheOnion(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	for _, r := range []request{
		{http.MethodPost, "/api/auth/login", anonymous(), "x"}, {http.MethodPatch, "/api/charges", anonymous(), ""},
		{http.MethodHead, "/api/price/xmr", anonymous(), ""}, {http.MethodGet, "/api/charges", key("cm_live_x"), ""},
		{http.MethodGet, "//example.com/", anonymous(), ""}, {http.MethodPost, onionPage, anonymous(), ""},
	} {
		require.Equal(t, onionURL+r.path, b.send(t, r.method, r.path, r.who, r.body).header.Get("Onion-Location"), r.path)
	}
	for range 140 {
		a := b.send(t, http.MethodGet, onionPage, anonymous(), "")
		require.Equal(t, onionURL+onionPage, a.header.Get("Onion-Location"))
		if a.status == http.StatusTooManyRequests {
			return
		}
	}
	require.Fail(t, "nothing was refused")
}

func TestWithoutAMirrorNoOnionIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.OnionURL = "" })
	a := b.visit(t, "")
	require.Empty(t, a.header.Get("Onion-Location"))
	require.Empty(t, a.header.Get("Set-Cookie"))
}
