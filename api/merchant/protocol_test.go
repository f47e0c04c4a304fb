package merchant_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/ratelimit"
)

func withLimits(d *merchant.Deps) {
	store, log := d.Store, d.Log
	d.Counter = func(bucket string) httprate.LimitCounter { return ratelimit.New(store, bucket, log) }
}

func securityOf(op any) string {
	o, _ := op.(*huma.Operation)
	if o == nil || len(o.Security) == 0 {
		return ""
	}
	for name := range o.Security[0] {
		return name
	}
	return ""
}

func TestBodiesThatAreNotJSONObjects(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	big := strings.Repeat(" ", 10*1024)
	for _, to := range []struct {
		method, path string
		who          as
	}{
		{http.MethodPost, "/api/auth/signup", nobody()}, {http.MethodPost, "/api/auth/login", nobody()},
		{http.MethodPost, "/api/charges", key(s.live)}, {http.MethodPost, "/api/webhooks", session(s.token)},
		{http.MethodPost, "/api/charges/button", nobody()}, {http.MethodPost, "/api/payment-requests", key(s.live)},
		{http.MethodPut, "/api/account/payout", session(s.token)}, {http.MethodPost, "/api/account/keys/regenerate", session(s.token)},
	} {
		for _, body := range []string{
			"", " ", "null", "[]", "1", `"x"`, "true", "{", "{}}", "{} x", `{"amount":}`, `{"a":NaN}`, `{"a":Infinity}`, "{'a':1}",
			`{"a":01}`, "{\"a\":\"\xff\"}", "\xef\xbb\xbf{}", `{"a":1,"a":2}`, "{\"a\":\"\x00\"}", `{"a":"\ud800"}`,
			strings.Repeat("[", 10_000), `{"a":` + strings.Repeat(`{"a":`, 2000), "{}" + big,
		} {
			b.send(t, to.method, to.path, to.who, body).require(t, http.StatusBadRequest, to, body)
		}
		for _, contentType := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/json; charset=\"", ";", "application/xml"} {
			req, err := http.NewRequestWithContext(t.Context(), to.method, b.url+to.path, strings.NewReader("{}"))
			require.NoError(t, err)
			req.Header.Set("Content-Type", contentType)
			if to.who.name != "" {
				req.Header.Set(to.who.name, to.who.value)
			}
			do(t, req).require(t, http.StatusBadRequest, contentType)
		}
	}
}

func TestBodyMayHaveExactly10KB(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := `{"email":"a@example.com","password":"1234567890","businessName":"x"}`
	body += strings.Repeat(" ", 10*1024-len(body))
	b.send(t, http.MethodPost, "/api/auth/signup", nobody(), body+" ").require(t, http.StatusBadRequest)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.url+"/api/auth/signup", strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "Application/JSON; charset=utf-8")
	do(t, req).require(t, http.StatusOK)
	for _, size := range []int{100 << 10, 2 << 20} {
		b.send(t, http.MethodPost, "/api/auth/signup", nobody(), strings.Repeat("x", size)).require(t, http.StatusBadRequest, size)
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

func TestUnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{
		"/", "/api", "/api/", "/api/v1", "/api/v1/", "/api/v1/v1/charges", "/api/nothing", "/api/charges/", "/api/v2/charges", "/api//charges", "/%00", "/api/charges/a/b/c",
	} {
		b.send(t, http.MethodGet, path, nobody(), "").require(t, http.StatusNotFound, path)
	}
	for path, allow := range map[string]string{
		"/api/charges": "GET, HEAD, POST", "/api/auth/login": "POST", "/api/webhooks/wh_x": "DELETE", "/api/account/payout": "PUT",
		"/api/v1/price/xmr": "GET, HEAD", "/livez": "GET, HEAD", "/api/charges/ch_0123456789abcdef01234567/public": "GET, HEAD",
	} {
		a := b.send(t, http.MethodPatch, path, nobody(), "").require(t, http.StatusMethodNotAllowed, path)
		require.Equal(t, allow, a.header.Get("Allow"), path)
	}
	res := b.send(t, http.MethodHead, "/api/auth/login", nobody(), "")
	require.Equal(t, http.StatusMethodNotAllowed, res.status)
}

func TestHeadAndVersionedPathsAnswerLikeGet(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, "live")
	for path, who := range map[string]as{
		"/api/charges": key(s.live), "/api/charges/" + id: key(s.live), "/api/charges/" + id + "/public": nobody(),
		"/api/charges/" + id + "/qr?format=png": key(s.live), "/api/charges/" + id + "/qr": key(s.live),
		"/api/webhooks": session(s.token), "/api/webhooks/deliveries?limit=3": key(s.live), "/api/payouts": session(s.token),
		"/api/payouts/balance": session(s.token), "/api/price/xmr?currency=EUR": nobody(), "/api/auth/me": session(s.token),
		"/api/charges?order_id=x": nobody(), "/api/nothing": nobody(), "/api/charges/ch_x": key(s.live),
	} {
		get := b.send(t, http.MethodGet, path, who, "")
		head := b.send(t, http.MethodHead, path, who, "")
		require.Equal(t, get.status, head.status, path)
		require.Empty(t, head.body)
		require.Equal(t, get.header.Get("Content-Type"), head.header.Get("Content-Type"), path)
		versioned := b.send(t, http.MethodGet, strings.Replace(path, "/api/", "/api/v1/", 1), who, "")
		require.Equal(t, get.status, versioned.status, path)
		require.Equal(t, get.body, versioned.body, path)
	}
	for _, path := range []string{"/livez", "/readyz", "/openapi.json", "/openapi.yaml", "/docs"} {
		require.Equal(t, http.StatusOK, b.send(t, http.MethodHead, path, nobody(), "").status, path)
		require.Equal(t, http.StatusOK, b.send(t, http.MethodGet, path, nobody(), "").status, path)
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
