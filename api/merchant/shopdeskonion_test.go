package merchant_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/merchant"
)

// deskOnion is the desk's onion name in these tests.
const deskOnion = "durapaydesk.onion"

// onOnion sends a browser's request through the listener for Tor. If there is a form, it posts
// the form with the code from a page there.
func (b *bench) onOnion(t *testing.T, method, path, cookie string, form url.Values) answer {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, b.onion)
		if err == nil {
			_, err = io.WriteString(conn, "PROXY TCP6 fc00:dead:beef:4dad::0:7 ::1 7 80\r\n")
		}
		return conn, err
	}}
	req, err := http.NewRequestWithContext(t.Context(), method, "http://"+deskOnion+path, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", "http://"+deskOnion)
	}
	if cookie != "" {
		req.Header.Set("Cookie", "durapay_desk="+cookie)
	}
	return doWith(t, transport, req)
}

// TestTheDeskIsTheSameOnTheOnion opens every page on the onion service and outside it, with a
// session of the onion service. The cookie there does not need TLS, because there is none, and
// forms of its pages are valid.
func TestTheDeskIsTheSameOnTheOnion(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.OnionURL = "http://" + deskOnion })
	s := b.own(t)
	entered := b.onOnion(t, http.MethodPost, "/log-in", "", url.Values{"email": {s.email}, "password": {password}})
	require.Equal(t, http.StatusSeeOther, entered.status, entered.body)
	var session *http.Cookie
	for _, cookie := range (&http.Response{Header: entered.header}).Cookies() {
		if cookie.Name == "durapay_desk" {
			session = cookie
		}
	}
	require.NotNil(t, session)
	require.False(t, session.Secure, "an onion service has no TLS")
	require.True(t, session.HttpOnly)
	direct := shopper{b: b, cookie: session.Value}
	changing := regexp.MustCompile(`name="(form|once)" value="[^"]*"`)
	routes, _ := desk.Routes()
	for _, route := range routes {
		method, path := s.shopPath(route)
		if method != http.MethodGet {
			continue
		}
		onion, plain := b.onOnion(t, method, path, session.Value, nil), direct.send(t, method, path, nil)
		require.Equal(t, plain.status, onion.status, "%s: %s", route, onion.body)
		require.Equal(t, changing.ReplaceAllString(plain.body, ""), changing.ReplaceAllString(onion.body, ""), route)
		require.Equal(t, plain.header.Get("Content-Security-Policy"), onion.header.Get("Content-Security-Policy"), route)
	}
	code := formCode.FindStringSubmatch(b.onOnion(t, http.MethodGet, "/settings", session.Value, nil).body)
	require.NotNil(t, code)
	b.onOnion(t, http.MethodPost, "/settings/profile", session.Value, url.Values{"form": {code[1]}, "business_name": {"By onion"}}).leads(t, "/settings?done=1")
	require.Contains(t, direct.page(t, "/settings"), "By onion")
}

// TestASessionIsNotFixed simulates an attacker who puts their own cookie into a victim's
// browser. After the victim's login the attacker's session still shows only the attacker's
// account. A login does not change the earlier session.
func TestASessionIsNotFixed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mallory, s := b.signup(t), b.signup(t)
	planted := b.enterShop(t, mallory, "")
	form := url.Values{"email": {s.email}, "password": {password}}
	entered := deskCookie(t, planted.send(t, http.MethodPost, "/log-in", form)).Value
	require.NotEqual(t, planted.cookie, entered)
	require.Contains(t, shopper{b: b, cookie: entered}.page(t, "/settings"), s.id)
	require.NotContains(t, planted.page(t, "/settings"), s.id)
	require.Contains(t, planted.page(t, "/settings"), mallory.id)
	again := deskCookie(t, shopper{b: b, cookie: entered}.send(t, http.MethodPost, "/log-in", form)).Value
	require.NotEqual(t, entered, again, "each login has a session of its own")
}
