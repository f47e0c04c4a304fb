package pages

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/permission"
)

// connections serves one shop, whose password is "right".
type connections struct {
	shop Shop
	fail error
}

func (c connections) LogIn(_ *http.Request, _, password string) (Visitor, error) {
	if password != "right" {
		return Visitor{}, ErrWrongLogin
	}
	return Visitor{MerchantID: testMerchant}, c.fail
}

func (c connections) GiveCode(*http.Request, Visitor, string) error { return c.fail }

func (c connections) Shop(context.Context, Login, string, string) (Shop, error) {
	return c.shop, c.fail
}

func (c connections) Grant(context.Context, Login, Grant) (string, error) {
	return "dk_live_" + strings.Repeat("0123456789abcdef", 3), c.fail
}

func (c connections) Deny(context.Context, Login, string) error { return c.fail }

func connectSite(publicURL string, c Connections) *Site {
	return New(Deps{
		Connections: c, ConnectKey: []byte(strings.Repeat("k", 32)), Log: slog.New(slog.DiscardHandler), PublicURL: publicURL,
		Now: func() time.Time { return testNow },
	})
}

// everything returns a request for all permissions that can be granted.
func everything() ask {
	return ask{
		Permissions: permission.Grantable(), Application: "A web shop with-a-very-long-name-that-does-not-break-anywhere-at-all", Identifier: "shop",
		Redirect: "https://a-very-long-name-of-a-shop-that-does-not-break-anywhere.example:8443/x",
	}
}

// connectShow returns the pages of connecting by name.
func connectShow() map[string]http.HandlerFunc {
	s := connectSite(testBase, connections{shop: Shop{Name: "Example Shop"}})
	again := connectSite(testBase, connections{shop: Shop{Name: "Example Shop", Connected: true}})
	logged := connectSession{ID: "x", Ends: testNow.Unix() + 600, Visitor: &Visitor{MerchantID: testMerchant}}
	shown := everything()
	shown.Redirect = ""
	asks := func(s *Site, a ask, sess connectSession, problem error) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { s.ask(w, r, http.StatusOK, a, sess, problem) }
	}
	return map[string]http.HandlerFunc{
		"connect_login":       asks(s, everything(), connectSession{ID: "x"}, nil),
		"connect_wrong":       asks(s, everything(), connectSession{ID: "x"}, ErrWrongLogin),
		"connect_code":        asks(s, everything(), connectSession{ID: "x", Visitor: &Visitor{NeedsCode: true}}, nil),
		"connect":             asks(s, everything(), logged, nil),
		"connect_shown":       asks(s, shown, logged, nil),
		"connect_again":       asks(again, everything(), logged, nil),
		"connect_finish":      func(w http.ResponseWriter, r *http.Request) { s.grant(w, r, everything(), logged.login()) },
		"connect_key":         func(w http.ResponseWriter, r *http.Request) { s.grant(w, r, shown, logged.login()) },
		"connect_denied":      func(w http.ResponseWriter, r *http.Request) { s.deny(w, r, everything(), Login{}) },
		"connect_expired":     func(w http.ResponseWriter, r *http.Request) { s.failConnect(w, r, everything(), errForm) },
		"connect_suspended":   func(w http.ResponseWriter, r *http.Request) { s.failConnect(w, r, everything(), ErrSuspended) },
		"connect_full":        func(w http.ResponseWriter, r *http.Request) { s.failConnect(w, r, everything(), ErrTooManyKeys) },
		"connect_bad":         func(w http.ResponseWriter, r *http.Request) { s.refuseAsk(w, r, errAskPermissions) },
		"connect_bad_address": func(w http.ResponseWriter, r *http.Request) { s.refuseAsk(w, r, errAskRedirect) },
	}
}

// withPages serves some pages under /show/ in addition to a site.
func withPages(some map[string]http.HandlerFunc, site http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if page, ok := some[strings.TrimPrefix(r.URL.Path, "/show/")]; ok {
			page(w, r)
			return
		}
		site.ServeHTTP(w, r)
	})
}

// TestKeysGoOverPlainHTTPWhereTheServiceDoes covers an operator without TLS, who sends keys
// over plain HTTP anyway.
func TestKeysGoOverPlainHTTPWhereTheServiceDoes(t *testing.T) {
	t.Parallel()
	for public, want := range map[string]int{
		"http://pay.example": http.StatusOK, "https://pay.example": http.StatusBadRequest, "http://abc.onion": http.StatusBadRequest,
	} {
		router := chi.NewRouter()
		connectSite(public, connections{}).Register(router)
		query := url.Values{"permissions": {string(permission.ViewInvoices)}, "applicationName": {"x"}, "redirect": {"http://shop.example/"}}
		w := get(t, router, http.MethodGet, "/api-keys/authorize?"+query.Encode())
		require.Equal(t, want, w.Code, public)
		if want != http.StatusOK {
			continue
		}
		require.NotContains(t, w.Header().Get("Set-Cookie"), "Secure")
	}
}

// TestTheSessionNeedsTLSWhereThereIsSome also checks the onion mirror, which has no TLS.
func TestTheSessionNeedsTLSWhereThereIsSome(t *testing.T) {
	t.Parallel()
	router := chi.NewRouter()
	connectSite(testBase, connections{}).Register(router)
	for host, secure := range map[string]bool{"pay.example": true, "abc.onion": false, "abc.onion:80": false, "onion.example": true} {
		r := httptest.NewRequest(http.MethodGet, everything().link(""), nil)
		r.Host = host
		w := httptest.NewRecorder()
		router.ServeHTTP(w, r)
		cookies := w.Result().Cookies()
		require.Len(t, cookies, 1)
		require.Equal(t, secure, cookies[0].Secure, host)
		require.True(t, cookies[0].HttpOnly)
		require.Equal(t, "/", cookies[0].Path)
		require.Equal(t, secure, strings.HasPrefix(cookies[0].Name, "__Host-"), "no sibling host plants one")
	}
}

// TestTheLanguageStaysWhileConnecting checks that forms and links keep the chosen language.
func TestTheLanguageStaysWhileConnecting(t *testing.T) {
	t.Parallel()
	router := chi.NewRouter()
	connectSite(testBase, connections{}).Register(router)
	first := get(t, router, http.MethodGet, everything().link("ar"))
	require.Equal(t, http.StatusOK, first.Code)
	d := parse(t, first)
	form := d.one(t, "form", "method=post")
	require.Equal(t, "/api-keys/authorize/log-in?lang=ar", value(t, form, "action"))
	body := url.Values{"request": {value(t, d.one(t, "input", "name=request"), "value")}, "email": {"x@example.com"}, "password": {"right"}}
	r := httptest.NewRequest(http.MethodPost, value(t, form, "action"), strings.NewReader(body.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Cookie", first.Header().Get("Set-Cookie"))
	w := httptest.NewRecorder()
	router.ServeHTTP(w, r)
	require.Equal(t, http.StatusSeeOther, w.Code, w.Body)
	to, err := url.Parse(w.Header().Get("Location"))
	require.NoError(t, err)
	require.Equal(t, "ar", to.Query().Get("lang"))
	require.Len(t, to.Query()["permissions"], len(permission.Grantable()))
}

// TestFailuresOfConnectingRevealNothing also checks that an error page has a link to start
// again.
func TestFailuresOfConnectingRevealNothing(t *testing.T) {
	t.Parallel()
	s := connectSite(testBase, connections{fail: errors.New(secretText)})
	w := httptest.NewRecorder()
	s.grant(w, httptest.NewRequest(http.MethodPost, "/api-keys/authorize/answer", nil), everything(), Login{})
	require.Equal(t, http.StatusInternalServerError, w.Code)
	require.NotContains(t, w.Body.String(), secretText)
	require.Len(t, parse(t, w).all("a"), 1, "it can be begun again")
}

// FuzzAsk checks that, for any request of an application, a key is sent only to an address
// that the security policy can name, and that forms lead only there.
func FuzzAsk(f *testing.F) {
	for _, redirect := range []string{"https://shop.example/", "javascript:x", "https://a;b/", "http://localhost:1/?x", "https://a@b/", "//x"} {
		f.Add(redirect, "name")
	}
	f.Fuzz(func(t *testing.T, redirect, name string) {
		a, err := parseAsk(url.Values{"permissions": {string(permission.ViewInvoices)}, "applicationName": {name}, "redirect": {redirect}}, false)
		if err != nil || redirect == "" {
			return
		}
		u, err := url.Parse(a.Redirect)
		require.NoError(t, err)
		require.Nil(t, u.User)
		require.Contains(t, []string{"https", "http"}, u.Scheme)
		require.NotEmpty(t, u.Hostname())
		require.NotContains(t, a.origin(), ";")
		require.NotContains(t, a.origin(), " ")
		require.True(t, strings.HasPrefix(strings.ToLower(a.Redirect), a.origin()))
	})
}
