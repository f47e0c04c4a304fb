package merchant_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// shopper is a browser at the merchants' desk.
type shopper struct {
	b      *bench
	cookie string
	// header is sent with each request.
	header map[string]string
}

// send makes a request. It posts the form, if there is one.
func (v shopper) send(t *testing.T, method, path string, form url.Values) answer {
	t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.b.url+path, body)
	require.NoError(t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if v.cookie != "" {
		req.Header.Set("Cookie", "durapay_desk="+v.cookie+"; __Host-durapay_desk="+v.cookie) // the names with and without TLS
	}
	for name, value := range v.header {
		req.Header.Set(name, value)
	}
	return do(t, req)
}

// page opens a page that must exist.
func (v shopper) page(t *testing.T, path string) string {
	t.Helper()
	a := v.send(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
	return a.body
}

// post sends a form with the code from a page of the visitor.
func (v shopper) post(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	code := formCode.FindStringSubmatch(v.page(t, "/settings"))
	require.NotNil(t, code)
	sent := url.Values{"form": {code[1]}}
	maps.Copy(sent, form)
	return v.send(t, http.MethodPost, path, sent)
}

// problem returns the error that a page shows.
func (a answer) problem(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`role="alert"[^>]*>([^<]*)<`).FindStringSubmatch(a.body)
	require.NotNil(t, found, a.body)
	return found[1]
}

// without checks that an answer does not contain a text. It does not print the answer.
func (a answer) without(t *testing.T, text string, about ...any) {
	t.Helper()
	if strings.Contains(a.body, text) {
		require.Fail(t, "it contains "+text, about...)
	}
}

// enterShop logs a merchant in.
func (b *bench) enterShop(t *testing.T, s shop, code string) shopper {
	t.Helper()
	a := shopper{b: b}.send(t, http.MethodPost, "/log-in", url.Values{"email": {s.email}, "password": {password}, "code": {code}})
	require.Contains(t, []string{"/", "/shops"}, a.header.Get("Location"), a.body)
	return shopper{b: b, cookie: deskCookie(t, a).Value}
}

// inSandbox returns the same visitor in the sandbox.
func (v shopper) inSandbox(t *testing.T) shopper {
	t.Helper()
	a := v.post(t, "/mode", url.Values{"mode": {"sandbox"}})
	a.leads(t, "/")
	v.cookie = deskCookie(t, a).Value
	return v
}

// shopPath returns the method and the path of a route of the merchants' desk, with the
// identifiers of existing rows.
func (s belongings) shopPath(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	for collection, id := range map[string]string{
		"charges": s.charge, "till": s.charge, "payment-requests": s.request, "refunds": s.refund, "webhooks": s.webhook, "deliveries": s.delivery,
		"swaps": s.swap, "keys": s.scoped, "staff": s.person, "staff/invites": s.invite, "shops": s.worksAt,
	} {
		path = strings.Replace(path, "/"+collection+"/{id}", "/"+collection+"/"+id, 1)
	}
	return method, strings.NewReplacer("{what}", "pay", "{token}", s.invitation).Replace(path)
}

// TestEveryPageOfTheDesk opens every page and sends every form empty. None of them fails.
func TestEveryPageOfTheDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	live := b.enterShop(t, s.shop, "")
	routes, _ := desk.Routes()
	for _, v := range []shopper{live, live.inSandbox(t)} {
		for _, route := range routes {
			method, path := s.shopPath(route)
			if method != http.MethodGet {
				continue
			}
			a := v.send(t, method, path, nil)
			ofLive := strings.HasPrefix(path, "/payouts") || strings.HasPrefix(path, "/swaps")
			if v.cookie == live.cookie || (!strings.Contains(path, "_") && !ofLive) {
				require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
			}
			require.Less(t, len(a.body), 100<<10, path)
			if strings.HasSuffix(path, ".png") || strings.HasSuffix(path, ".csv") {
				continue
			}
			require.Equal(t, "DENY", a.header.Get("X-Frame-Options"), path)
			require.Equal(t, "no-store", a.header.Get("Cache-Control"), path)
			require.Equal(t, "same-origin", a.header.Get("Referrer-Policy"), path)
			require.Contains(t, a.header.Get("Content-Security-Policy"), "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'", path)
			a.without(t, "<script", path)
			for _, text := range regexp.MustCompile(`>([a-z_]+\.[a-zA-Z_]+)<`).FindAllStringSubmatch(a.body, -1) {
				require.True(t, webhook.IsEvent(text[1]), "%s: the text %s is missing", path, text[1])
			}
			a.without(t, "went wrong", path)
		}
	}
	for _, route := range routes {
		if method, path := s.shopPath(route); method == http.MethodPost && path != "/log-out" {
			a := live.post(t, path, nil)
			a.without(t, "went wrong", path)
			a.without(t, "<script", path)
			require.Less(t, len(a.body), 100<<10, path)
			require.Equal(t, "DENY", a.header.Get("X-Frame-Options"), path)
			require.Equal(t, "no-store", a.header.Get("Cache-Control"), path)
			require.Contains(t, a.header.Get("Content-Security-Policy"), "frame-ancestors 'none'", path)
		}
	}
}

// TestTheDeskNeedsASession requests every route with invalid sessions.
func TestTheDeskNeedsASession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	ended := b.enterShop(t, s.shop, "")
	ended.post(t, "/log-out", nil).leads(t, "/log-in")
	other := secret.SealText(secret.Derived([]byte("another"), "desk"), "session", map[string]string{"t": s.token, "m": "live"})
	routes, open := desk.Routes()
	before := b.digest(t)
	for name, cookie := range map[string]string{"nobody": "", "a token": s.token, "an ended session": ended.cookie, "another key's": other, "a part": v.cookie[:40]} {
		who := shopper{b: b, cookie: cookie}
		for _, route := range routes {
			if open[route] {
				continue
			}
			method, path := s.shopPath(route)
			var form url.Values
			if method == http.MethodPost {
				form = url.Values{"amount": {"1"}}
			}
			a := who.send(t, method, path, form)
			if a.status == http.StatusUnauthorized {
				require.Equal(t, http.MethodPost, method, "%s as %s", route, name)
				require.Contains(t, a.body, `action="/log-in"`, "%s as %s: the login keeps the form", route, name)
			} else {
				require.Equal(t, http.StatusSeeOther, a.status, "%s as %s: %s", route, name, a.body)
				require.True(t, strings.HasPrefix(a.header.Get("Location"), "/log-in"), "%s as %s", route, name)
			}
			require.Equal(t, before, b.digest(t), "%s as %s", route, name)
		}
	}
	b.send(t, http.MethodGet, "/api/auth/me", session(v.cookie), "").require(t, http.StatusUnauthorized, "a cookie is no token")
	b.send(t, http.MethodGet, "/api/charges", session(s.token), "").require(t, http.StatusUnauthorized, "a token is still no key")
	v.page(t, "/")
	b.suspend(t, s.shop)
	require.Equal(t, http.StatusForbidden, v.send(t, http.MethodGet, "/charges", nil).status)
}

// TestShopFormsAreOfTheirSession sends every form from another site or session.
func TestShopFormsAreOfTheirSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v, other := b.enterShop(t, s.shop, ""), b.enterShop(t, s.shop, "")
	code := formCode.FindStringSubmatch(v.page(t, "/settings"))[1]
	foreign := formCode.FindStringSubmatch(other.page(t, "/settings"))[1]
	require.NotEqual(t, code, foreign)
	routes, open := desk.Routes()
	before := b.digest(t)
	for _, route := range routes {
		method, path := s.shopPath(route)
		if method != http.MethodPost {
			continue
		}
		for name, attempt := range map[string]struct {
			code   string
			header map[string]string
		}{
			"no code": {"", nil}, "another session's": {foreign, nil}, "another site": {code, map[string]string{"Sec-Fetch-Site": "cross-site"}},
			"a neighbour": {code, map[string]string{"Sec-Fetch-Site": "same-site"}}, "another origin": {code, map[string]string{"Origin": "https://evil.example"}},
			"an origin that is hidden": {code, map[string]string{"Origin": "null"}},
		} {
			if open[route] && attempt.header == nil {
				continue
			}
			from := shopper{b: b, cookie: v.cookie, header: attempt.header}
			a := from.send(t, method, path+"?form="+url.QueryEscape(code), url.Values{"form": {attempt.code}, "email": {s.email}, "password": {password}})
			require.Equal(t, http.StatusForbidden, a.status, "%s by %s: %s", route, name, a.body)
			require.Equal(t, before, b.digest(t), "%s by %s", route, name)
		}
	}
}

// TestResourcesOfOtherMerchantsAreNotAtTheDesk opens every page about resources of another merchant.
func TestResourcesOfOtherMerchantsAreNotAtTheDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, other := b.own(t), b.own(t)
	b.exec(t, "UPDATE merchants SET business_name = 'Foreign Shop' WHERE merchant_id = $1", s.id)
	v := b.enterShop(t, other.shop, "")
	routes, _ := desk.Routes()
	for _, route := range routes {
		method, path := s.shopPath(route)
		if !strings.Contains(path, "_") {
			continue
		}
		before := b.digest(t)
		var a answer
		if method == http.MethodPost {
			a = v.post(t, path, url.Values{"amount": {"1"}, "variant": {"RateThen"}})
		} else {
			a = v.send(t, method, path, nil)
		}
		require.Contains(t, []int{http.StatusNotFound, http.StatusBadRequest, http.StatusForbidden}, a.status, "%s: %s", route, a.body)
		a.without(t, "Foreign Shop", route)
		require.Equal(t, before, b.digest(t), route)
	}
}

// hostileTexts returns texts that are dangerous on a page that does not escape them.
func hostileTexts() []string {
	return []string{
		`"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `</title><script>alert(1)</script>`, `javascript:alert(1)`,
		`{{.Code}}<svg/onload=alert(1)>`, `<a href="javascript:alert(1)">x</a>`, "\u202eevil</td>",
	}
}

// TestDeskShowsTextsAsTexts puts markup into every text that merchants and clients can write,
// and opens every page.
func TestDeskShowsTextsAsTexts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	sandbox := v.inSandbox(t)
	routes, _ := desk.Routes()
	for _, hostile := range hostileTexts() {
		b.exec(t, "UPDATE merchants SET business_name = $2, contact = $2 WHERE merchant_id = $1", s.id, hostile)
		b.exec(t, "UPDATE charges SET description = $1, order_id = $1, metadata = $2, return_url = 'https://shop.example/' || $1",
			hostile, fmt.Sprintf(`{"order_id":%q,"buyer_info":{%q:%q}}`, hostile, hostile, hostile))
		b.exec(t, "UPDATE payment_requests SET description = $1, reference = $1", hostile)
		b.exec(t, "UPDATE deliveries SET error = $1", hostile)
		b.exec(t, "UPDATE webhooks SET url = $1", "https://shop.example/"+hostile)
		b.exec(t, "UPDATE scoped_keys SET label = $1", hostile)
		b.exec(t, "UPDATE payouts SET error = $1", hostile)
		b.exec(t, "UPDATE refunds SET name = $1, description = $1", hostile)
		v.header = map[string]string{"User-Agent": hostile, "Accept-Language": hostile}
		for _, route := range routes {
			method, path := s.shopPath(route)
			if method != http.MethodGet {
				continue
			}
			for _, query := range []string{"", "?" + url.Values{
				"next": {hostile}, "text": {hostile}, "invoice_status": {hostile}, "from": {hostile}, "amount": {hostile}, "key": {hostile}, "to": {hostile},
				"currency": {hostile}, "month": {hostile}, "webhook": {hostile}, "of": {hostile}, "done": {hostile}, "lang": {hostile}, "cursor": {hostile},
			}.Encode()} {
				plain(t, v.send(t, method, path+query, nil), path+query)
				plain(t, sandbox.send(t, method, path+query, nil), path+query)
			}
		}
		for _, route := range routes {
			if method, path := s.shopPath(route); method == http.MethodPost && !strings.HasSuffix(path, "delete") && path != "/log-out" {
				plain(t, sandbox.post(t, path, url.Values{"name": {hostile}}), path)
				a := v.post(t, path, url.Values{"amount": {hostile}, "email": {hostile}, "business_name": {hostile}, "description": {hostile}, "url": {hostile}, "address": {hostile}, "totp_code": {hostile}})
				plain(t, a, path)
			}
		}
	}
}

// plain checks that an answer contains none of the hostile markup. A table for a spreadsheet has the
// texts as they are, so a browser must save it and never show it.
func plain(t *testing.T, a answer, path string) {
	t.Helper()
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/csv") {
		require.True(t, strings.HasPrefix(a.header.Get("Content-Disposition"), "attachment"), path)
		require.Equal(t, "nosniff", a.header.Get("X-Content-Type-Options"), path)
		return
	}
	for _, markup := range []string{"<script", "<img src=x", "<svg/", `href="javascript:`, "onerror=alert(1)>"} {
		a.without(t, markup, "%s in %s", markup, path)
	}
}

// TestARefusedFormLeavesTheOthersAlone sends one form of a page with a mistake. The boxes of the other
// forms stay as they are set, because the next one that is saved sends all of its boxes.
func TestARefusedFormLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.own(t).shop, "")
	boxes := regexp.MustCompile(`<input[^>]* checked`)
	for path, refused := range map[string]string{"/settings": "/settings/payout", "/webhooks": "/webhooks/wh_000000000000000000000000/test"} {
		set := boxes.FindAllString(v.page(t, path), -1)
		require.NotEmpty(t, set, path)
		a := v.post(t, refused, url.Values{"address": {"x"}})
		require.NotEmpty(t, a.problem(t))
		require.Equal(t, set, boxes.FindAllString(a.body, -1), path)
	}
}

// TestSignUpAtTheDesk signs up, with a mistake first, and then a second time with the same
// address.
func TestSignUpAtTheDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	anonymous := shopper{b: b}
	require.Contains(t, anonymous.page(t, "/sign-up"), `name="business_name"`)
	form := url.Values{"email": {"anna@example.com"}, "password": {"short"}, "business_name": {"Anna & Söhne"}}
	a := anonymous.send(t, http.MethodPost, "/sign-up", form)
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.problem(t), "password")
	require.Contains(t, a.body, `value="Anna &amp; Söhne"`, "what was filled in stays")
	require.NotContains(t, a.body, "short\"", "but no password")
	form.Set("password", password)
	a = anonymous.send(t, http.MethodPost, "/sign-up", form)
	require.Equal(t, http.StatusOK, a.status, a.body)
	keys := regexp.MustCompile(`cm_(live|test)_[0-9a-f]{48}`).FindAllString(a.body, -1)
	require.Len(t, keys, 2)
	b.send(t, http.MethodGet, "/api/charges", key(keys[0]), "").require(t, http.StatusOK)
	v := shopper{b: b, cookie: deskCookie(t, a).Value}
	require.Contains(t, v.page(t, "/settings"), "Anna &amp; Söhne")
	require.Equal(t, http.StatusBadRequest, anonymous.send(t, http.MethodPost, "/sign-up", form).status, "an address is of one account")
	a = v.send(t, http.MethodPost, "/sign-up", form)
	require.Equal(t, http.StatusConflict, a.status)
	require.Contains(t, a.problem(t), "Its result was shown once", "the page with the keys was reloaded")
}

// TestAPersonWhoJoinsAShopSeesNoKeys signs up with the link of an invite.
func TestAPersonWhoJoinsAShopSeesNoKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	form := url.Values{"email": {"anna@example.com"}, "password": {password}, "business_name": {"Anna"}, "next": {"/join/abc"}}
	shopper{b: b}.send(t, http.MethodPost, "/sign-up", form).leads(t, "/join/abc")
}

func TestDeskLogInAndOut(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.signup(t), b.guard(t)
	logIn := func(email, password, code, next string) answer {
		return shopper{b: b}.send(t, http.MethodPost, "/log-in", url.Values{"email": {email}, "password": {password}, "code": {code}, "next": {next}})
	}
	require.Equal(t, http.StatusUnauthorized, logIn(s.email, "wrong password", "", "").status)
	a := logIn(s.email, password, "", "/charges?text=x")
	a.leads(t, "/charges?text=x")
	cookie := deskCookie(t, a)
	require.True(t, cookie.HttpOnly)
	require.Greater(t, cookie.MaxAge, int(account.TokenLife.Seconds()), "the login can say that the session has ended")
	require.True(t, cookie.Secure, "the public address has TLS")
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.NotContains(t, cookie.Value, ".", "the token, which has dots, is sealed")
	for _, evil := range []string{"https://evil.example/", "//evil.example/", `/\evil.example`, "evil", "/\t/evil.example", "javascript:alert(1)"} {
		logIn(s.email, password, "", evil).leads(t, "/")
	}
	missing := logIn(g.email, password, "", "")
	require.Equal(t, http.StatusUnauthorized, missing.status)
	require.Empty(t, missing.header.Get("Set-Cookie"))
	b.clock.advance(later)
	logIn(g.email, password, b.code(t, g.secret, 0), "").leads(t, "/")
	logIn(g.email, password, g.backup[0], "").leads(t, "/")

	v := shopper{b: b, cookie: cookie.Value}
	v.post(t, "/log-out", nil).leads(t, "/log-in")
	v.send(t, http.MethodGet, "/charges?text=x", nil).leads(t, "/log-in?ended=1&next="+url.QueryEscape("/charges?text=x"))
	shopper{b: b}.send(t, http.MethodGet, "/charges?text=x", nil).leads(t, "/log-in?next="+url.QueryEscape("/charges?text=x"))
	again := b.enterShop(t, s, "")
	b.exec(t, "UPDATE merchants SET token_version = token_version + 1 WHERE merchant_id = $1", s.id)
	require.Equal(t, http.StatusSeeOther, again.send(t, http.MethodGet, "/", nil).status, "what ends sessions ends these")
	off := setup(t, func(d *merchant.Deps) { d.Desk = false })
	off.send(t, http.MethodGet, "/", anonymous(), "").require(t, http.StatusNotFound)
}

// TestDeskAsksForThePasswordAgain checks that a change of the payout address asks for the
// password first, and is then made.
func TestDeskAsksForThePasswordAgain(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.StepUp = true })
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	b.clock.advance(later * 30)
	form := url.Values{"address": {payoutAddress}}
	a := v.post(t, "/settings/payout", form)
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, `name="step_up_password"`)
	require.Contains(t, a.body, `name="address" value="`+payoutAddress+`"`, "what was sent is kept")
	form.Set("step_up_password", "wrong password")
	a = v.post(t, "/settings/payout", form)
	require.Equal(t, http.StatusForbidden, a.status)
	require.Contains(t, a.body, `name="step_up_password"`)
	require.Contains(t, v.page(t, "/settings"), "Not set")
	form.Set("step_up_password", password)
	v.post(t, "/settings/payout", form).leads(t, "/settings?done=1")
	require.Contains(t, v.page(t, "/settings"), "48DCHZ…3FaS4u")
}

// TestChargesAreFoundAtTheDesk searches by state, text, order and time, page by page.
func TestChargesAreFoundAtTheDesk(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	ids := make([]string, 120)
	for i := range ids {
		b.clock.advance(1000)
		ids[i] = b.charge(t, s, config.Live)
	}
	b.exec(t, "UPDATE charges SET description = 'Zwei Karten', order_id = 'A-17', metadata = '{\"order_id\":\"A-17\"}' WHERE id = $1", ids[3])
	b.exec(t, "UPDATE charges SET invoice_status = 'Expired', status = 'expired' WHERE id = $1", ids[5])
	found := func(path string) (list []string, next string) {
		t.Helper()
		page := v.page(t, path)
		for _, m := range regexp.MustCompile(`<a href="/charges/(ch_[0-9a-f]{24})">`).FindAllStringSubmatch(page, -1) {
			list = append(list, m[1])
		}
		if m := regexp.MustCompile(`<a href="([^"]+)" rel="next">`).FindStringSubmatch(page); m != nil {
			next = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		return list, next
	}
	var all []string
	for path := "/charges"; path != ""; {
		var part []string
		part, path = found(path)
		all = append(all, part...)
	}
	require.Len(t, all, 120)
	require.Equal(t, ids[119], all[0], "the newest first")
	require.Equal(t, ids[0], all[119])
	for _, path := range []string{"/charges?text=karten", "/charges?text=A-17", "/charges?text=" + ids[3]} {
		list, _ := found(path)
		require.Equal(t, []string{ids[3]}, list, path)
	}
	list, _ := found("/charges?invoice_status=Expired")
	require.Equal(t, []string{ids[5]}, list)
	list, _ = found("/charges?to=2001-01-01")
	require.Empty(t, list)
	for _, wrong := range []string{"invoice_status=Gone", "from=yesterday", "cursor=x", "text=" + strings.Repeat("x", 201)} {
		require.Equal(t, http.StatusBadRequest, v.send(t, http.MethodGet, "/charges?"+wrong, nil).status, wrong)
	}
	require.Contains(t, v.page(t, "/"), ">119<")
}

// TestTheKeypadOfTheTill types an amount.
func TestTheKeypadOfTheTill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.signup(t), "")
	amount := regexp.MustCompile(`name="amount" type="text" value="([^"]*)"`)
	typed := ""
	for _, step := range []struct{ key, shows string }{
		{".", "0."}, {"⌫", "0"}, {"1", "1"}, {"2", "12"}, {".", "12."}, {".", "12."}, {"5", "12.5"}, {"x", "12.5"}, {"⌫", "12."}, {"0", "12.0"},
	} {
		a := v.post(t, "/till", url.Values{"amount": {typed}, "key": {step.key}, "currency": {"USD"}})
		require.Equal(t, http.StatusSeeOther, a.status, a.body)
		page := v.page(t, a.header.Get("Location"))
		typed = amount.FindStringSubmatch(page)[1]
		require.Equal(t, step.shows, typed)
		require.Contains(t, page, `<option value="USD" selected>`)
	}
}

// TestACustomerSeesThatItIsPaid checks the page at the till.
func TestACustomerSeesThatItIsPaid(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	a := v.send(t, http.MethodGet, "/till/"+s.charge, nil)
	require.Equal(t, "3", a.header.Get("Refresh"))
	require.Contains(t, a.body, "/pay/"+s.charge+"/qr.png")
	b.receive(t, s.charge, money.OneXMR)
	a = v.send(t, http.MethodGet, "/till/"+s.charge, nil)
	require.Contains(t, a.body, "1 XMR received")
	require.Contains(t, v.page(t, "/charges/"+s.charge), "1 XMR seen")
}

// TestTheDeskSaysWhatIsWrongInTheReadersLanguage checks the language of errors.
func TestTheDeskSaysWhatIsWrongInTheReadersLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	german := map[string]string{"Accept-Language": "de"}
	v := b.enterShop(t, s.shop, "")
	v.header = german
	anonymous := shopper{b: b, header: german}
	for _, c := range []struct {
		who    shopper
		path   string
		form   url.Values
		status int
		says   string
	}{
		{anonymous, "/log-in", url.Values{"email": {s.email}, "password": {"another password"}}, http.StatusUnauthorized, "E-Mail oder Passwort ist falsch."},
		{anonymous, "/sign-up", url.Values{"email": {"new@example.com"}, "password": {"short"}, "business_name": {"Tee"}}, http.StatusBadRequest, "Ein Passwort hat 10 bis"},
		{v, "/ask", url.Values{"amount": {"zwölf"}, "currency": {"EUR"}}, http.StatusBadRequest, "Das ist kein Betrag."},
		{v, "/settings/payout", url.Values{"address": {"abc"}}, http.StatusBadRequest, "Das ist keine gültige Monero-Adresse."},
		{v, "/webhooks", url.Values{"url": {"https://shop.example.com"}}, http.StatusBadRequest, "Wählen Sie mindestens ein Ereignis."},
		{v, "/payment-requests", url.Values{"amount": {"1"}, "currency": {"gold"}}, http.StatusBadRequest, "Wählen Sie einen der Werte"},
		{v, "/swaps/auto", url.Values{"enabled": {"on"}, "currency": {"ltc"}, "auto_address": {"x"}}, http.StatusBadRequest, "Das ist keine Adresse für ltc."},
	} {
		a := c.who.send(t, http.MethodPost, c.path, c.form)
		if c.who.cookie != "" {
			a = c.who.post(t, c.path, c.form)
		}
		require.Equal(t, c.status, a.status, c.path)
		require.Contains(t, a.problem(t), c.says, c.path)
	}
}

// TestAddressesThatAreNoPages checks that a visitor who opens such an address is redirected to a
// page.
func TestAddressesThatAreNoPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	for address, page := range map[string]string{
		"/settings/payout": "/settings", "/settings/password": "/settings", "/settings/two-factor/setup": "/settings/two-factor", "/log-out": "/", "/mode": "/",
		"/charges/" + s.charge + "/refunds": "/charges/" + s.charge, "/charges/" + s.charge + "/test/pay?lang=de": "/charges/" + s.charge,
		"/webhooks/" + s.webhook + "/delete": "/webhooks", "/refunds/" + s.refund + "/approve": "/refunds/" + s.refund, "/keys/regenerate": "/keys",
	} {
		v.send(t, http.MethodGet, address, nil).leads(t, page)
	}
	v.header = map[string]string{"Accept": "text/html,application/xhtml+xml", "Accept-Language": "ar"}
	a := v.send(t, http.MethodGet, "/nothing", nil)
	require.Equal(t, http.StatusNotFound, a.status)
	require.Contains(t, a.body, `dir="rtl"`)
	require.Contains(t, a.body, `href="/"`)
	for _, accepts := range []map[string]string{{"Accept": "*/*"}, {"Accept": "application/json"}} {
		v.header = accepts
		require.JSONEq(t, `{"error":"there is nothing at this path"}`, v.send(t, http.MethodGet, "/nothing", nil).body)
	}
	v.header = map[string]string{"Accept": "text/html"}
	require.JSONEq(t, `{"error":"there is nothing at this path"}`, v.send(t, http.MethodGet, "/api/nothing", nil).body)
}
