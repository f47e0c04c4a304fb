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
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// deskVisitor is a browser at the operators' desk.
type deskVisitor struct {
	b      *bench
	cookie string
	// header is sent with each request.
	header map[string]string
}

// send makes a request. It posts the form, if there is one.
func (v deskVisitor) send(t *testing.T, method, path string, form url.Values) answer {
	t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	req, err := http.NewRequestWithContext(t.Context(), method, v.b.internal+path, body)
	require.NoError(t, err)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if v.cookie != "" {
		req.Header.Set("Cookie", "durapay_operator="+v.cookie)
	}
	for name, value := range v.header {
		req.Header.Set(name, value)
	}
	return do(t, req)
}

// page opens a page that must exist.
func (v deskVisitor) page(t *testing.T, path string) string {
	t.Helper()
	a := v.send(t, http.MethodGet, path, nil)
	require.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
	return a.body
}

var formCode = regexp.MustCompile(`name="form" value="([^"]+)"`)

// post sends a form with the code from a page of the visitor.
func (v deskVisitor) post(t *testing.T, path string, form url.Values) answer {
	t.Helper()
	code := formCode.FindStringSubmatch(v.page(t, opdesk.Root+"/"))
	require.NotNil(t, code)
	sent := url.Values{"form": {code[1]}}
	maps.Copy(sent, form)
	return v.send(t, http.MethodPost, path, sent)
}

// leads checks that an answer redirects to a page.
func (a answer) leads(t *testing.T, path string) {
	t.Helper()
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Equal(t, path, a.header.Get("Location"))
}

// operatorOf creates an operator with a real second factor.
func (b *bench) operatorOf(t *testing.T) guarded {
	t.Helper()
	return b.appointed(t, b.guard(t))
}

// appointed makes an account an operator's.
func (b *bench) appointed(t *testing.T, g guarded) guarded {
	t.Helper()
	require.NoError(t, b.store.SetAdmin(t.Context(), db.SetAdminParams{MerchantID: g.id, Admin: true}))
	return g
}

// deskLogIn sends the form of the first page.
func (b *bench) deskLogIn(t *testing.T, email, password, code string) answer {
	t.Helper()
	return deskVisitor{b: b}.send(t, http.MethodPost, opdesk.Root+"/log-in", url.Values{"email": {email}, "password": {password}, "code": {code}})
}

// enterDesk logs an operator in.
func (b *bench) enterDesk(t *testing.T, g guarded) deskVisitor {
	t.Helper()
	b.clock.advance(later) // a code works only once
	a := b.deskLogIn(t, g.email, password, b.code(t, g.secret, 0))
	a.leads(t, opdesk.Root+"/")
	return deskVisitor{b: b, cookie: deskCookie(t, a).Value}
}

func deskCookie(t *testing.T, a answer) *http.Cookie {
	t.Helper()
	cookies := (&http.Response{Header: a.header}).Cookies()
	require.Len(t, cookies, 1)
	return cookies[0]
}

// deskPath returns the method and the path of a route, with the identifiers of existing rows.
func (s belongings) deskPath(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	for collection, id := range map[string]string{
		"merchants": s.id, "unmatched": s.unmatched, "alerts": s.alert, "deliveries": s.delivery,
		"charges": s.charge, "payouts": s.payout, "refunds": s.refund, "trades": s.trade,
	} {
		path = strings.Replace(path, "/"+collection+"/{id}", "/"+collection+"/"+id, 1)
	}
	return method, strings.Replace(path, "{name}", "overdue", 1)
}

// isOpen reports whether a route needs no session.
func isOpen(route string) bool { return strings.HasSuffix(route, "/log-in") }

// TestTheDeskIsOnTheInternalListenerAlone requests every route on the other listeners, with the
// API's operator routes served on the public one.
func TestTheDeskIsOnTheInternalListenerAlone(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.AdminPublic = true })
	v := b.enterDesk(t, b.operatorOf(t))
	for _, route := range opdesk.Routes() {
		method, path, _ := strings.Cut(route, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, b.url+path, nil)
		require.NoError(t, err)
		req.Header.Set("Cookie", "durapay_operator="+v.cookie)
		do(t, req).require(t, http.StatusNotFound, route)
		b.through(t, 1, request{method, path, anonymous(), ""}, "Cookie", "durapay_operator="+v.cookie).require(t, http.StatusNotFound, route)
	}
	v.page(t, opdesk.Root+"/")
}

// TestDeskPagesAreForOperators requests every route without a session, with invalid sessions,
// and with sessions of people who are not operators.
func TestDeskPagesAreForOperators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, bare := b.own(t), b.signup(t)
	require.NoError(t, b.store.SetAdmin(t.Context(), db.SetAdminParams{MerchantID: bare.id, Admin: true}))
	key := secret.Derived([]byte(strings.Repeat("k", 32)), "operator desk")
	sessionOf := func(id string) map[string]any {
		return map[string]any{"i": "op_" + id, "m": id, "v": 1, "l": b.clock.Now().Unix(), "e": b.clock.Now().Add(time.Hour).Unix()}
	}
	visitors := map[string]struct {
		cookie string
		status int
	}{
		"nobody":                         {"", http.StatusSeeOther},
		"an operator's token":            {s.operator, http.StatusSeeOther},
		"a session of another key":       {secret.Sign([]byte(strings.Repeat("k", 32)), "session", sessionOf(s.id)), http.StatusSeeOther},
		"a session for another purpose":  {secret.Sign(key, "form", sessionOf(s.id)), http.StatusSeeOther},
		"a merchant":                     {secret.Sign(key, "session", sessionOf(s.id)), http.StatusForbidden},
		"an operator without two factor": {secret.Sign(key, "session", sessionOf(bare.id)), http.StatusForbidden},
	}
	before := b.digest(t)
	for name, who := range visitors {
		v := deskVisitor{b: b, cookie: who.cookie}
		for _, route := range opdesk.Routes() {
			if isOpen(route) {
				continue
			}
			method, path := s.deskPath(route)
			var form url.Values
			if method == http.MethodPost {
				form = url.Values{"note": {"x"}}
			}
			a := v.send(t, method, path, form)
			require.Equal(t, who.status, a.status, "%s as %s: %s", route, name, a.body)
			if who.status == http.StatusSeeOther {
				require.True(t, strings.HasPrefix(a.header.Get("Location"), opdesk.Root+"/log-in"), "%s as %s", route, name)
			}
			require.Equal(t, before, b.digest(t), "%s as %s", route, name)
		}
	}
	require.Contains(t, deskVisitor{b: b, cookie: visitors["an operator without two factor"].cookie}.send(t, http.MethodGet, opdesk.Root+"/", nil).body, "two-factor")
	v := b.enterDesk(t, b.operatorOf(t))
	b.send(t, http.MethodGet, "/api/admin/merchants", session(v.cookie), "").require(t, http.StatusUnauthorized, "a cookie is no token")
}

// TestDeskFormsAreOfTheirSession sends every form of an operator from another site or session.
func TestDeskFormsAreOfTheirSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.own(t), b.operatorOf(t)
	v, other := b.enterDesk(t, g), b.enterDesk(t, g)
	code := formCode.FindStringSubmatch(v.page(t, opdesk.Root+"/"))[1]
	foreign := formCode.FindStringSubmatch(other.page(t, opdesk.Root+"/"))[1]
	require.NotEqual(t, code, foreign)
	tried := 0
	for _, route := range opdesk.Routes() {
		method, path := s.deskPath(route)
		if method != http.MethodPost || isOpen(route) {
			continue
		}
		tried++
		for name, attempt := range map[string]struct {
			code   string
			header map[string]string
		}{
			"no code":                   {"", nil},
			"another session's":         {foreign, nil},
			"another site":              {code, map[string]string{"Sec-Fetch-Site": "cross-site"}},
			"a neighbour":               {code, map[string]string{"Sec-Fetch-Site": "same-site"}},
			"another origin":            {code, map[string]string{"Origin": "https://evil.example"}},
			"an origin that is hidden":  {code, map[string]string{"Origin": "null"}},
			"a browser that tells both": {code, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}},
		} {
			before := b.digest(t)
			from := deskVisitor{b: b, cookie: v.cookie, header: attempt.header}
			a := from.send(t, method, path+"?form="+url.QueryEscape(code), url.Values{"form": {attempt.code}, "note": {"x"}})
			require.Equal(t, http.StatusForbidden, a.status, "%s by %s: %s", route, name, a.body)
			require.Equal(t, before, b.digest(t), "%s by %s", route, name)
		}
		require.Equal(t, http.StatusMethodNotAllowed, v.send(t, http.MethodPut, path, nil).status, route)
	}
	require.Equal(t, 9, tried)
	stranger := deskVisitor{b: b, header: map[string]string{"Sec-Fetch-Site": "cross-site"}}
	a := stranger.send(t, http.MethodPost, opdesk.Root+"/log-in", url.Values{"email": {g.email}, "password": {password}})
	require.Equal(t, http.StatusForbidden, a.status, "nobody is logged in from another site")
}

func TestDeskLogIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.signup(t), b.operatorOf(t)
	code := b.code(t, g.secret, 0)
	require.Equal(t, http.StatusUnauthorized, b.deskLogIn(t, g.email, "wrong password", code).status)
	require.Contains(t, b.deskLogIn(t, g.email, password, "").body, "second factor is missing")
	require.Equal(t, http.StatusUnauthorized, b.deskLogIn(t, g.email, password, b.wrongCode(t, g.secret)).status)
	none := b.deskLogIn(t, s.email, password, "")
	require.Equal(t, http.StatusForbidden, none.status)
	require.Empty(t, none.header.Get("Set-Cookie"))

	a := b.deskLogIn(t, g.email, password, code)
	a.leads(t, opdesk.Root+"/")
	cookie := deskCookie(t, a)
	require.True(t, cookie.HttpOnly)
	require.Equal(t, http.SameSiteLaxMode, cookie.SameSite)
	require.Equal(t, opdesk.Root, cookie.Path)
	require.InDelta(t, account.AdminSessionLife.Seconds(), cookie.MaxAge, 1)
	b.deskLogIn(t, g.email, password, g.backup[0]).leads(t, opdesk.Root+"/")
	v := deskVisitor{b: b, cookie: cookie.Value}
	v.page(t, opdesk.Root+"/")

	other := b.enterDesk(t, g)
	require.NotEqual(t, v.cookie, other.cookie, "each login has a session of its own")
	v.post(t, opdesk.Root+"/log-out", nil).leads(t, opdesk.Root+"/log-in")
	v.send(t, http.MethodGet, opdesk.Root+"/alerts?status=resolved", nil).
		leads(t, opdesk.Root+"/log-in?next="+url.QueryEscape(opdesk.Root+"/alerts?status=resolved"))
	other.page(t, opdesk.Root+"/")

	b.clock.advance(account.AdminSessionLife)
	require.Equal(t, http.StatusSeeOther, other.send(t, http.MethodGet, opdesk.Root+"/", nil).status, "12 hours after the login")
	third := b.enterDesk(t, g)
	b.exec(t, "UPDATE merchants SET token_version = token_version + 1 WHERE merchant_id = $1", g.id)
	require.Equal(t, http.StatusSeeOther, third.send(t, http.MethodGet, opdesk.Root+"/", nil).status, "what ends sessions ends these")
}

// TestDeskFormsDoWhatTheAPIDoes sends each form twice, as a double click does.
func TestDeskFormsDoWhatTheAPIDoes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	here := opdesk.Root + "/merchants/" + s.id
	twice := func(path string, form url.Values, leads string) {
		t.Helper()
		for range 2 {
			v.post(t, path, form).leads(t, leads+"?done=1")
		}
		require.Contains(t, v.page(t, leads+"?done=1"), "Done.")
	}
	twice(here+"/suspend", nil, here)
	require.Contains(t, v.page(t, here), "suspended 20")
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusForbidden)
	twice(here+"/unsuspend", nil, here)
	b.send(t, http.MethodGet, "/api/charges", key(s.live), "").require(t, http.StatusOK)

	day := b.clock.Now().AddDate(0, 0, 7).Format(time.DateOnly)
	twice(here+"/hold", url.Values{"until": {day}}, here)
	require.Contains(t, v.page(t, here), "sweeps wait until "+day)
	for _, wrong := range []string{"", "tomorrow", b.clock.Now().AddDate(0, 0, -1).Format(time.DateOnly), b.clock.Now().AddDate(0, 0, 32).Format(time.DateOnly)} {
		require.Equal(t, http.StatusBadRequest, v.post(t, here+"/hold", url.Values{"until": {wrong}}).status, wrong)
	}

	terms := url.Values{"fee_rate": {"0.0035"}, "confirmations_required": {""}, "tolerance_percent": {"0.50"}, "pending_charges_max": {"70"}}
	twice(here+"/terms", terms, here)
	m, err := b.store.GetMerchant(t.Context(), s.id)
	require.NoError(t, err)
	require.Equal(t, "0.0035", m.FeeRate.String())
	require.Nil(t, m.ConfirmationsRequired)
	require.EqualValues(t, 70, *m.PendingChargesMax)
	for _, wrong := range []string{"1", "abc", "-1", "0,5", `0.1,"admin":true`, "1e999"} {
		terms.Set("fee_rate", wrong)
		require.Equal(t, http.StatusBadRequest, v.post(t, here+"/terms", terms).status, wrong)
	}
	terms.Del("fee_rate")
	require.Equal(t, http.StatusBadRequest, v.post(t, here+"/terms", terms).status, "a field that is missing is not an empty one")

	twice(opdesk.Root+"/fees", url.Values{"volume_xmr": {"100.5", "", "10"}, "fee_rate": {"0.003", "", "0.004"}}, opdesk.Root+"/fees")
	require.Contains(t, v.page(t, opdesk.Root+"/fees"), "100.5 XMR")
	require.Equal(t, http.StatusBadRequest, v.post(t, opdesk.Root+"/fees", url.Values{"volume_xmr": {"1"}, "fee_rate": {""}}).status)
	require.Contains(t, v.page(t, opdesk.Root+"/fees"), "100.5 XMR", "what is refused changes nothing")

	note := url.Values{"note": {"paid back"}}
	twice(opdesk.Root+"/alerts/"+s.alert+"/resolve", note, opdesk.Root+"/alerts")
	require.Contains(t, v.page(t, opdesk.Root+"/alerts?status=resolved"), "paid back")
	twice(opdesk.Root+"/unmatched/"+s.unmatched+"/resolve", note, opdesk.Root+"/unmatched")
	require.Contains(t, v.page(t, opdesk.Root+"/unmatched?status=resolved"), "paid back")
	require.Equal(t, http.StatusBadRequest, v.post(t, opdesk.Root+"/alerts/"+s.alert+"/resolve", url.Values{"note": {""}}).status)
	require.Equal(t, http.StatusNotFound, v.post(t, opdesk.Root+"/alerts/999999/resolve", note).status)
	require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, opdesk.Root+"/merchants/nobody", nil).status)
	redeliver := opdesk.Root + "/deliveries/" + s.delivery + "/redeliver"
	require.Equal(t, http.StatusSeeOther, v.post(t, redeliver, nil).status, "Temporal is away")
	require.Equal(t, http.StatusBadRequest, v.post(t, redeliver, nil).status, "it is pending")

	names := b.actionsOf(t, g.id)
	for _, action := range []string{"merchant.suspend", "merchant.unsuspend", "merchant.hold", "merchant.terms", "fees.tiers", "payment.resolve"} {
		require.Contains(t, names, action)
	}
	require.Equal(t, 1, strings.Count(strings.Join(names, " ")+" ", "merchant.suspend "), "twice is once")
}

// actionsOf returns an operator's actions in the audit log.
func (b *bench) actionsOf(t *testing.T, id string) []string {
	t.Helper()
	return rowsOf[string](t, b, "SELECT action FROM audit WHERE actor = '"+id+"'")
}

// TestDeskPagesShowTextsAsTexts puts markup into every text that merchants and clients can
// write, and opens every page.
func TestDeskPagesShowTextsAsTexts(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.TemporalUI, d.TemporalNamespace = "http://ui.example", "durapay" })
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	for _, hostile := range hostileTexts() {
		b.exec(t, "UPDATE merchants SET business_name = $2 WHERE merchant_id = $1", s.id, hostile)
		b.exec(t, "UPDATE alerts SET detail = $1, subject = $1, note = $1", hostile)
		b.exec(t, "UPDATE received_payments SET note = $1, resolved_at = now() WHERE charge_id IS NULL", hostile)
		b.exec(t, "UPDATE deliveries SET error = $1", hostile)
		b.exec(t, "UPDATE webhooks SET url = $1", "https://shop.example/"+hostile)
		b.exec(t, "UPDATE audit SET subject = $1", hostile)
		v.header = map[string]string{"User-Agent": hostile, "Accept-Language": hostile}
		paths := []string{opdesk.Root + "/nothing", opdesk.Root + "/unmatched?status=resolved", opdesk.Root + "/alerts?status=resolved&done=" + url.QueryEscape(hostile), opdesk.Root + "/merchants/" + url.PathEscape(hostile)}
		for _, route := range opdesk.Routes() {
			if method, path := s.deskPath(route); method == http.MethodGet {
				paths = append(paths, path, path+"?next="+url.QueryEscape(hostile)+"&status="+url.QueryEscape(hostile))
			}
		}
		for _, path := range paths {
			plain(t, v.send(t, http.MethodGet, path, nil), path)
		}
	}
}

// TestDeskPagesKeepToThemselves checks the headers and the size of every page.
func TestDeskPagesKeepToThemselves(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.TemporalUI, d.TemporalNamespace = "http://ui.example", "durapay" })
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	for _, route := range opdesk.Routes() {
		method, path := s.deskPath(route)
		a := v.send(t, method, path, nil)
		require.Equal(t, "DENY", a.header.Get("X-Frame-Options"), route)
		require.Equal(t, "no-store", a.header.Get("Cache-Control"), route)
		require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			a.header.Get("Content-Security-Policy"), route)
		require.Less(t, len(a.body), 100<<10, route)
		require.NotContains(t, a.body, "<script", route)
	}
	require.Contains(t, v.page(t, opdesk.Root+"/deliveries"), "http://ui.example/namespaces/durapay/workflows/webhook-"+s.delivery)
	overdue := v.page(t, opdesk.Root+"/runbooks/overdue")
	require.Contains(t, overdue, "<h1><bdi>Something is overdue</bdi></h1>")
	require.Contains(t, overdue, ">Where to look</h2>")
	require.Contains(t, overdue, `href="/operator/runbooks/payout-stuck"`)
	require.NotContains(t, v.page(t, opdesk.Root+"/runbooks/README"), "alerts.yml\"", "what is no runbook has no page")
	require.Equal(t, http.StatusNotFound, v.send(t, http.MethodGet, opdesk.Root+"/runbooks/..%2f..%2fgo", nil).status)
	style := regexp.MustCompile(`href="(/operator/static/[^"]+\.css)"`).FindStringSubmatch(v.page(t, opdesk.Root+"/"))
	require.Equal(t, http.StatusOK, deskVisitor{b: b}.send(t, http.MethodGet, style[1], nil).status)
}

// TestDeskShowsWhatHasStopped creates one item of each kind.
func TestDeskShowsWhatHasStopped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s, g := b.own(t), b.operatorOf(t)
	v := b.enterDesk(t, g)
	long := b.clock.Now().Add(-3 * time.Hour)
	b.exec(t, "UPDATE payouts SET status = 'building', created_at = $2 WHERE id = $1", s.payout, long)
	b.exec(t, "UPDATE charges SET unbacked = true WHERE id = $1", s.charge)
	claim := "rc_" + strings.TrimPrefix(s.refund, "rf_")
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, waits_for, next_at, created_at, approved_at)
		VALUES ($1, $2, 'awaiting_payment', 1000, '\x01', '8…', 'money', $3, $3, $3)`, claim, s.refund, long)
	b.exec(t, "UPDATE witnesses SET safe_since = $1, safe_reason = 'it sent what is not known' WHERE wallet_id = 'live-1'", long)
	b.exec(t, "INSERT INTO chains (id) VALUES ('ltc-Mainnet')")
	b.exec(t, `INSERT INTO wallets (id, chain_id, role, ticker, network, decimals, total, unlocked)
		VALUES ('exchange-ltc', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8, 12.5, 2.25)`)
	stopped := v.page(t, opdesk.Root+"/stuck")
	for _, want := range []string{s.payout, s.charge, claim, s.refund, "money", "live-1"} {
		require.Contains(t, stopped, want)
	}
	require.Contains(t, v.page(t, opdesk.Root+"/"), "it sent what is not known")
	inventory := v.page(t, opdesk.Root+"/inventory")
	require.Contains(t, inventory, "12.5")
	require.Contains(t, inventory, "2.25")
	fresh := b.clock.Now().Add(-time.Minute)
	b.exec(t, "UPDATE refund_claims SET approved_at = $1", fresh)
	require.NotContains(t, v.page(t, opdesk.Root+"/stuck"), claim)
	require.Contains(t, v.page(t, fmt.Sprintf("%s/merchants/%s", opdesk.Root, s.id)), "Example Shop")
}

// testDeskRedelivery requests a redelivery from the delivery's page. A second press while it is
// being sent starts nothing.
func testDeskRedelivery(t *testing.T, b *bench) {
	s, g := b.signup(t), b.operatorOf(t)
	a := b.deskLogIn(t, g.email, password, g.backup[0])
	a.leads(t, opdesk.Root+"/")
	v := deskVisitor{b: b, cookie: deskCookie(t, a).Value}
	url, got := receiver(t, http.StatusOK)
	b.webhook(t, s, `{"url":"`+url+`","events":["charge.confirmed"]}`).require(t, http.StatusOK)
	id := b.deliver(t, s, "ch_0123456789abcdef0123bbbb")
	again := func() answer { return v.post(t, opdesk.Root+"/deliveries/"+id+"/redeliver", nil) }
	require.Equal(t, http.StatusBadRequest, again().status, "it is pending")
	// This delivery must be the newest, because those of parallel subtests may fill the page.
	b.exec(t, `UPDATE deliveries SET status = 'failed', attempts = 3, error = 'timeout', created_at = now() + interval '2 hours' WHERE id = $1`, id)
	require.Contains(t, v.page(t, opdesk.Root+"/deliveries"), opdesk.Root+"/deliveries/"+id+"/redeliver")
	again().leads(t, opdesk.Root+"/deliveries?done=1")
	require.Contains(t, await(t, got).body, "ch_0123456789abcdef0123bbbb")
	require.EqualValues(t, 4, b.awaitDelivery(t, s, "delivered").Attempts)
	require.NotContains(t, v.page(t, opdesk.Root+"/deliveries"), id)
	require.Equal(t, []string{"delivery.redeliver"}, b.actionsOf(t, g.id))
	require.Empty(t, got, "it was sent once")
}
