package merchant_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/permission"
)

// browser is a merchant's browser, without script.
type browser struct {
	b      *bench
	cookie string
}

// woo returns the path of the page that a web shop's plugin opens to ask for a key.
func woo(change ...string) string {
	query := url.Values{
		"permissions": {
			"btcpay.store.canviewinvoices", "btcpay.store.cancreateinvoice", "btcpay.store.canviewstoresettings", "btcpay.store.canmodifyinvoices",
		},
		"applicationName": {"Tea & <Co>"}, "strict": {"true"}, "selectiveStores": {"true"},
		"redirect": {"https://shop.example/?rest_route=/btcpay&x=1"}, "applicationIdentifier": {"woo"},
	}
	for i := 0; i+1 < len(change); i += 2 {
		query.Set(change[i], change[i+1])
	}
	return "/api-keys/authorize?" + query.Encode()
}

// open requests a page, or posts a form to it.
func (v *browser) open(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	method, body := http.MethodGet, ""
	if form != nil {
		method, body = http.MethodPost, form.Encode()
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.b.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", formType)
	}
	if v.cookie != "" {
		req.Header.Set("Cookie", v.cookie)
	}
	by := v.b.by
	if by == nil {
		by = http.DefaultTransport
	}
	a := doWith(t, by, req)
	for _, set := range a.header.Values("Set-Cookie") {
		if strings.HasPrefix(set, "__Host-durapay_connect=") {
			require.Contains(t, set, "; Path=/;")
			require.Contains(t, set, "; HttpOnly; Secure; SameSite=Lax")
			v.cookie, _, _ = strings.Cut(set, ";")
		}
	}
	require.NotContains(t, a.body, "<script")
	if a.status != http.StatusSeeOther {
		require.Equal(t, "text/html; charset=utf-8", a.header.Get("Content-Type"), a.body)
	}
	require.Contains(t, a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
	require.Equal(t, "no-store", a.header.Get("Cache-Control"))
	return a
}

var (
	hiddenField = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)">`)
	formAction  = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
)

// hidden returns the hidden fields of a page's form.
func (a answer) hidden() url.Values {
	fields := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(a.body, -1) {
		fields.Add(m[1], html.UnescapeString(m[2]))
	}
	return fields
}

// action returns the address to which a page's form is posted, or "".
func (a answer) action() string {
	m := formAction.FindStringSubmatch(a.body)
	if m == nil {
		return ""
	}
	return html.UnescapeString(m[1])
}

// fill posts the form of a page.
func (v *browser) fill(t *testing.T, page answer, fields ...string) answer {
	t.Helper()
	form := page.hidden()
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	require.NotEmpty(t, page.action(), page.body)
	return v.open(t, page.action(), form)
}

// consent logs a shop in and returns the page that asks for consent.
func (v *browser) consent(t *testing.T, s shop, path string) answer {
	t.Helper()
	login := v.open(t, path, nil)
	require.Equal(t, http.StatusOK, login.status, login.body)
	in := v.fill(t, login, "email", s.email, "password", password)
	require.Equal(t, http.StatusSeeOther, in.status, in.body)
	asks := v.open(t, in.header.Get("Location"), nil)
	require.Equal(t, http.StatusOK, asks.status)
	require.True(t, strings.HasPrefix(asks.action(), account.ConnectPath+"/answer"), asks.body)
	return asks
}

func (b *bench) keysOf(t *testing.T, s shop) []string {
	t.Helper()
	return rowsOf[string](t, b, "SELECT id FROM scoped_keys WHERE merchant_id = '"+s.id+"'")
}

// TestAnApplicationIsConnected goes through the whole flow, and reads what the browser would
// post to the application.
func TestAnApplicationIsConnected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	asks := v.consent(t, s, woo())
	for _, text := range []string{"Tea &amp; &lt;Co&gt;", "shop.example", "Example Shop", "see your payments", "create payments", "pay out your balance"} {
		require.Contains(t, asks.body, text)
	}
	require.NotContains(t, asks.body, "is connected already")
	require.Contains(t, asks.header.Get("Content-Security-Policy"), "form-action 'self';")
	require.Empty(t, b.keysOf(t, s), "asking makes no key")
	done := v.fill(t, asks, "answer", "allow")
	require.Equal(t, http.StatusOK, done.status, done.body)
	require.Equal(t, "https://shop.example/?rest_route=/btcpay&x=1", done.action())
	require.Contains(t, done.header.Get("Content-Security-Policy"), "form-action https://shop.example;")
	post := done.hidden()
	require.Equal(t, s.id, post.Get("userId"))
	var want []string
	for _, p := range []string{"canviewinvoices", "cancreateinvoice", "canviewstoresettings", "canmodifyinvoices"} {
		want = append(want, "btcpay.store."+p+":"+s.id)
	}
	require.Equal(t, want, post["permissions[]"], "in the order asked")
	b.send(t, http.MethodGet, "/api/charges", key(post.Get("apiKey")), "").require(t, http.StatusOK)
	b.send(t, http.MethodGet, "/api/webhooks/deliveries", key(post.Get("apiKey")), "").require(t, http.StatusForbidden)

	twice := v.fill(t, asks, "answer", "allow")
	require.Equal(t, post, twice.hidden(), "the same consent is the same key")
	require.Len(t, b.keysOf(t, s), 1)
	list := b.as(t, s, http.MethodGet, "/api/account/application-keys", "").require(t, http.StatusOK)
	require.Contains(t, list.body, `"redirectHost":"shop.example"`)
	require.Contains(t, list.body, `"applicationIdentifier":"woo"`)

	again := v.consent(t, s, strings.Replace(woo(), "authorize?", "authorize/?", 1))
	require.Contains(t, again.body, "is connected already")
	other := v.fill(t, again, "answer", "allow").hidden().Get("apiKey")
	require.NotEqual(t, post.Get("apiKey"), other)
	for _, k := range []string{post.Get("apiKey"), other} {
		b.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusOK)
	}
	require.NotContains(t, v.consent(t, s, woo("redirect", "https://elsewhere.example/")).body, "is connected already")

	// The consent is sent several times at once.
	asks = v.open(t, woo(), nil) // this login has no answer yet
	before := b.keysOf(t, s)
	var clicks sync.WaitGroup
	made := make([]string, 4)
	for i := range made {
		clicks.Go(func() { made[i] = (&browser{b, v.cookie}).fill(t, asks, "answer", "allow").hidden().Get("apiKey") })
	}
	clicks.Wait()
	require.Len(t, slices.Compact(made), 1)
	require.Len(t, b.keysOf(t, s), 3)
	newest := slices.DeleteFunc(b.keysOf(t, s), func(id string) bool { return slices.Contains(before, id) })
	require.Len(t, newest, 1)
	b.revoke(t, s, newest[0]).require(t, http.StatusOK)
	gone := v.fill(t, asks, "answer", "allow")
	require.Equal(t, http.StatusGone, gone.status, "a revoked key does not come back")
	require.Empty(t, gone.hidden())
}

func TestAConnectionIsDenied(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	asks := v.consent(t, s, woo())
	no := v.fill(t, asks, "answer", "deny")
	require.Equal(t, http.StatusOK, no.status)
	require.Contains(t, no.body, "Nothing was allowed")
	require.Contains(t, no.body, `href="https://shop.example"`)
	require.Contains(t, no.body, `href="`+html.EscapeString(account.ConnectPath+"?"), "it can be begun again")
	for _, strange := range []string{"", "yes"} {
		require.Equal(t, http.StatusGone, v.fill(t, asks, "answer", strange).status)
	}
	require.Empty(t, b.keysOf(t, s))
}

// TestAKeyIsShownWithoutARedirect checks that without a redirect only the merchant gets the key.
func TestAKeyIsShownWithoutARedirect(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	done := v.fill(t, v.consent(t, s, woo("redirect", "")), "answer", "allow")
	require.Empty(t, done.action())
	k := regexp.MustCompile(`dk_live_[0-9a-f]{48}`).FindString(done.body)
	b.send(t, http.MethodGet, "/api/charges", key(k), "").require(t, http.StatusOK)
}

// TestWhatAnApplicationMayAskFor checks that an invalid request gets a page that does not lead
// to any address from the request.
func TestWhatAnApplicationMayAskFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := &browser{b: b}
	for _, redirect := range []string{
		"javascript:alert(1)", "data:text/html,x", "//shop.example/", "/x", "shop.example", "https://", "https:shop.example", "https:///x",
		"https://user@shop.example/", "https://user:pw@shop.example/", "https://shop.example/#x", "https://shop.example/#", "ftp://shop.example/",
		"HTTPS+x://shop.example", "https://shop.example;script-src/", "https://shop.example'/", "https://shop.example\\@evil.example/", "https://shop example/",
		"https://shop.example/\nx", "http://shop.example/", "http://localhost.evil.example/", "http://onion.example/", "vbscript:x", " https://shop.example/",
		"https://*.example/", "https://shop.example:x/", "https://münchen.example/", "https://shop.example/" + strings.Repeat("x", 2000),
	} {
		a := v.open(t, woo("redirect", redirect), nil)
		require.Equal(t, http.StatusBadRequest, a.status, redirect)
		require.Contains(t, a.body, "an address that is not safe", redirect)
		require.NotContains(t, strings.ReplaceAll(a.body, `hreflang`, ""), `href="`+html.EscapeString(redirect), redirect)
		require.Empty(t, a.action())
	}
	for _, redirect := range []string{
		"https://shop.example/", "https://shop.example:8443/a?b=c", "http://localhost/x", "http://localhost:8080", "http://127.0.0.1:1/", "http://[::1]/",
		"http://abc.onion/x", "https://shop.example/ä?ö",
	} {
		require.Equal(t, http.StatusOK, v.open(t, woo("redirect", redirect), nil).status, redirect)
	}
	for _, permission := range []string{
		"", "btcpay.user.canviewprofile", "btcpay.server.canmodifyserversettings", "unrestricted", "btcpay.store.canfly",
		"btcpay.store.canviewinvoices:0123", "durapay.store.canmovemoney",
	} {
		for _, strict := range []string{"true", "false"} {
			a := v.open(t, woo("strict", strict)+"&permissions="+url.QueryEscape(permission), nil)
			require.Equal(t, http.StatusBadRequest, a.status, permission)
			require.Contains(t, a.body, "something that a shop", permission)
		}
	}
	require.Equal(t, http.StatusBadRequest, v.open(t, "/api-keys/authorize", nil).status)
	for _, name := range []string{strings.Repeat("x", 101), "a\u202eb", "a\x00b", "\xff"} {
		require.Equal(t, http.StatusBadRequest, v.open(t, woo("applicationName", name), nil).status, "%q", name)
	}
	require.Contains(t, v.open(t, woo("applicationName", ""), nil).body, "shop.example asks")
}

// TestFormsOfConnectingAreBoundToWhatWasShown swaps, replays and forges forms.
func TestFormsOfConnectingAreBoundToWhatWasShown(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	asks := v.consent(t, s, woo())
	good := asks.hidden().Get("request")
	text, signature, _ := strings.Cut(good, ".")
	wide := v.open(t, woo("permissions", "btcpay.store.canmodifystoresettings"), nil).hidden().Get("request")
	wideText, _, _ := strings.Cut(wide, ".")
	stranger := &browser{b: b}
	theirs := stranger.open(t, woo(), nil)
	attacker := &browser{b: b}
	other := attacker.consent(t, b.signup(t), woo())
	for name, request := range map[string]string{
		"missing": "", "cut": good[:len(good)-1], "unsigned": text, "swapped": wideText + "." + signature, "of a login": theirs.hidden().Get("request"),
		"of another merchant": other.hidden().Get("request"), "a cookie": strings.TrimPrefix(v.cookie, "__Host-durapay_connect="), "junk": "x.y",
	} {
		a := v.open(t, asks.action(), url.Values{"request": {request}, "answer": {"allow"}})
		require.Equal(t, http.StatusGone, a.status, name)
		require.Empty(t, a.hidden(), name)
	}
	form := url.Values{"request": {good}, "answer": {"allow"}}
	for name, cookie := range map[string]string{
		"planted by a sibling host": strings.TrimPrefix(v.cookie, "__Host-"), "none": "", "a stranger's": stranger.cookie, "another merchant's": attacker.cookie, "forged": v.cookie + "x", "a form": "__Host-durapay_connect=" + good,
	} {
		require.Equal(t, http.StatusGone, (&browser{b, cookie}).open(t, asks.action(), form).status, name)
	}
	require.Empty(t, b.keysOf(t, s))
	// Additional fields in the form have no effect.
	form.Set("permissions", "btcpay.store.canmodifystoresettings")
	form.Set("redirect", "https://evil.example/")
	done := v.open(t, asks.action(), form)
	require.Equal(t, "https://shop.example/?rest_route=/btcpay&x=1", done.action())
	require.Len(t, done.hidden()["permissions[]"], 4)
	// The form of a login is bound to its visitor too, and a login starts a new session.
	before := stranger.cookie
	require.Equal(t, http.StatusSeeOther, stranger.fill(t, theirs, "email", s.email, "password", password).status)
	require.NotEqual(t, before, stranger.cookie)
	require.Equal(t, http.StatusGone, (&browser{b: b}).fill(t, theirs, "email", s.email, "password", password).status)
	for _, path := range []string{"/log-in", "/code", "/answer"} {
		require.Equal(t, http.StatusGone, v.open(t, account.ConnectPath+path, nil).status)
	}
}

// TestConnectingExpires checks that pages and the login expire after ten minutes. The login also
// ends with a change of the password and with the account.
func TestConnectingExpires(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	asks := v.consent(t, s, woo())
	b.clock.advance(10 * time.Minute)
	old := v.fill(t, asks, "answer", "allow")
	require.Equal(t, http.StatusGone, old.status)
	require.Contains(t, old.body, "This page has expired")
	require.Contains(t, old.body, `href="`+account.ConnectPath+`?`, "it leads on")
	require.True(t, strings.HasPrefix(v.open(t, woo(), nil).action(), account.ConnectPath+"/log-in"), "a new login")

	asks = v.consent(t, s, woo())
	s.token = b.as(t, s, http.MethodPut, "/api/account/password", `{"current_password":"`+password+`","new_password":"`+newPassword+`"}`).
		require(t, http.StatusOK).text(t, "token")
	require.Equal(t, http.StatusGone, v.fill(t, asks, "answer", "allow").status, "another password ended the login")
	b.as(t, s, http.MethodPut, "/api/account/password", `{"current_password":"`+newPassword+`","new_password":"`+password+`"}`).require(t, http.StatusOK)
	asks = v.consent(t, s, woo())
	b.suspend(t, s)
	require.Equal(t, http.StatusForbidden, v.fill(t, asks, "answer", "allow").status)
	gone := b.signup(t)
	asks = v.consent(t, gone, woo())
	b.deleteAccount(t, gone, password).require(t, http.StatusOK)
	require.Equal(t, http.StatusGone, v.fill(t, asks, "answer", "allow").status)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM scoped_keys"))
}

// TestConnectingNeedsTheSecondFactor checks that a password alone shows nothing about the shop.
func TestConnectingNeedsTheSecondFactor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.guard(t)
	v := &browser{b: b}
	in := v.fill(t, v.open(t, woo(), nil), "email", g.email, "password", password)
	require.Equal(t, http.StatusSeeOther, in.status)
	asked := v.open(t, in.header.Get("Location"), nil)
	require.Equal(t, account.ConnectPath+"/code", asked.action())
	require.NotContains(t, asked.body, "Example Shop")
	skipped := v.open(t, account.ConnectPath+"/answer", url.Values{"request": asked.hidden()["request"], "answer": {"allow"}})
	require.Equal(t, http.StatusGone, skipped.status)
	v.cookie = ""
	in = v.fill(t, v.open(t, woo(), nil), "email", g.email, "password", password)
	asked = v.open(t, in.header.Get("Location"), nil)
	require.Equal(t, http.StatusUnauthorized, v.fill(t, asked, "code", "").status)
	wrong := v.fill(t, asked, "code", b.wrongCode(t, g.secret))
	require.Equal(t, http.StatusUnauthorized, wrong.status)
	code := b.code(t, g.secret, 0)
	next := v.fill(t, wrong, "code", " "+code+" ")
	require.Equal(t, http.StatusSeeOther, next.status, next.body)
	require.Equal(t, http.StatusOK, v.fill(t, v.open(t, next.header.Get("Location"), nil), "answer", "allow").status)
	require.Len(t, b.keysOf(t, g.shop), 1)
	// A code works only once. A backup code works too.
	thief := &browser{b: b}
	in = thief.fill(t, thief.open(t, woo(), nil), "email", g.email, "password", password)
	asked = thief.open(t, in.header.Get("Location"), nil)
	require.Equal(t, http.StatusUnauthorized, thief.fill(t, asked, "code", code).status)
	require.Equal(t, http.StatusSeeOther, thief.fill(t, asked, "code", g.backup[0]).status)
}

// TestConnectingLocksAsTheLoginDoes checks that these pages and the API's login share their
// count of failures.
func TestConnectingLocksAsTheLoginDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := &browser{b: b}
	login := v.open(t, woo(), nil)
	for range 2 {
		require.Equal(t, http.StatusUnauthorized, v.fill(t, login, "email", s.email, "password", "wrong").status)
	}
	unknown := v.fill(t, login, "email", "nobody@example.com", "password", "wrong")
	require.Contains(t, unknown.body, "That was wrong")
	require.NotContains(t, unknown.body, "nobody@example.com")
	for range account.MaxFailures - 2 {
		b.login(t, s.email, "wrong").require(t, http.StatusUnauthorized)
	}
	require.Equal(t, http.StatusLocked, v.fill(t, login, "email", s.email, "password", password).status)
	b.login(t, s.email, password).require(t, http.StatusLocked)
	g := b.guard(t)
	in := v.fill(t, login, "email", g.email, "password", password)
	asked := v.open(t, in.header.Get("Location"), nil)
	for range account.MaxFailures {
		require.Equal(t, http.StatusUnauthorized, v.fill(t, asked, "code", b.wrongCode(t, g.secret)).status)
	}
	require.Equal(t, http.StatusLocked, v.fill(t, asked, "code", b.code(t, g.secret, 0)).status)
	b.login(t, g.email, password).require(t, http.StatusLocked)
	// Twenty failures from an address block it, by either way of logging in.
	for i := range account.MaxIPFailures {
		b.login(t, strconv.Itoa(i)+s.email, "wrong")
	}
	fresh := v.open(t, woo(), nil)
	if fresh.action() != account.ConnectPath+"/log-in" {
		v.cookie = ""
		fresh = v.open(t, woo(), nil)
	}
	blocked := v.fill(t, fresh, "email", b.signup(t).email, "password", password)
	require.Equal(t, http.StatusForbidden, blocked.status)
	require.Contains(t, blocked.body, "from your network")
}

// TestConnectingIsLimited checks that these pages count as hosted pages, and their passwords as
// logins.
func TestConnectingIsLimited(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	s := b.signup(t)
	b = b.elsewhere("127.0.4.1")
	v := &browser{b: b}
	login := v.open(t, woo(), nil)
	requireLimit(t, 10, http.StatusUnauthorized, func() int {
		return v.fill(t, login, "email", "nobody"+s.email[:4]+"@example.com", "password", "").status
	})
	b.login(t, s.email, password).require(t, http.StatusTooManyRequests)
	v = &browser{b: b.elsewhere("127.0.4.2")}
	requireLimit(t, 120, http.StatusOK, func() int { return v.open(t, woo(), nil).status })
}

// TestConnectingWorksOverTheOnion checks that a visitor of the onion mirror is counted by
// session on these pages too.
func TestConnectingWorksOverTheOnion(t *testing.T) {
	t.Parallel()
	b := setup(t, withLimits)
	first := b.at(t, onionHost, woo())
	require.Equal(t, http.StatusOK, first.status)
	var visit string
	for _, set := range first.header.Values("Set-Cookie") {
		if strings.HasPrefix(set, "durapay_visit=") {
			visit, _, _ = strings.Cut(set, ";")
		}
	}
	for _, set := range b.at(t, onionHost, woo(), "Cookie", visit).header.Values("Set-Cookie") {
		require.NotContains(t, set, "durapay_visit=", "a session stays")
	}
}

// TestTheOwnerIsNotifiedOfKeys checks that the owner gets a mail about each new and each revoked
// key.
func TestTheOwnerIsNotifiedOfKeys(t *testing.T) {
	t.Parallel()
	p := setupWithNotices(t)
	s := p.signup(t)
	id := p.grant(t, s, "live", permission.ViewInvoices).text(t, "details.id")
	p.mail(t, s.email, "An application got a key")
	p.revoke(t, s, id).require(t, http.StatusOK)
	revoked := p.mail(t, s.email, "A key of an application was revoked")
	require.Contains(t, strings.Join(strings.Fields(revoked.Text), " "), "Webhooks that were made with it still send events")
	other := p.signup(t)
	v := &browser{b: p.bench}
	asks := v.consent(t, other, woo())
	for range 2 {
		require.Equal(t, http.StatusOK, v.fill(t, asks, "answer", "allow").status)
	}
	p.mail(t, other.email, "An application got a key")
	third := p.signup(t)
	given := p.scoped(t, third, "x", permission.ViewInvoices)
	p.send(t, http.MethodDelete, "/api/v1/api-keys/current", token(given), "").require(t, http.StatusOK)
	p.mail(t, third.email, "A key of an application was revoked")
	require.Equal(t, http.StatusUnauthorized, p.send(t, http.MethodDelete, "/api/v1/api-keys/current", token(given), "").status)
	require.Equal(t, "1", p.count(t, "SELECT count(*)::text FROM account_notices WHERE kind = 'key_revoked' AND merchant_id = '"+third.id+"'"))
	require.Equal(t, "1", p.count(t, "SELECT count(*)::text FROM account_notices WHERE kind = 'key_granted' AND merchant_id = '"+other.id+"'"))
	content, err := json.Marshal(p.mails.Messages(other.email))
	require.NoError(t, err)
	require.NotContains(t, string(content), "dk_live_")
}
