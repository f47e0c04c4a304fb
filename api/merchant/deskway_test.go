package merchant_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// hidden returns the value of a hidden field of a page.
func hidden(t *testing.T, page, name string) string {
	t.Helper()
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(page)
	require.NotNil(t, found, "%s in %s", name, page)
	return found[1]
}

// TestAWrongCodeLosesNothingOfTheSetUp gives a wrong code while a second factor is set up.
func TestAWrongCodeLosesNothingOfTheSetUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	offer := v.post(t, "/settings/two-factor/setup", nil)
	require.Equal(t, http.StatusOK, offer.status, offer.body)
	secret := regexp.MustCompile(`class="copy"[^>]*>([A-Z2-7]+)<`)
	shown := secret.FindStringSubmatch(offer.body)
	require.NotNil(t, shown, offer.body)
	form := url.Values{"setup": {hidden(t, offer.body, "setup")}, "code": {"000000"}}
	wrong := v.post(t, "/settings/two-factor/verify", form)
	require.Equal(t, http.StatusForbidden, wrong.status)
	require.Equal(t, shown, secret.FindStringSubmatch(wrong.body), "the secret is still there")
	require.Contains(t, wrong.body, "data:image/png;base64,")
	require.NotContains(t, wrong.body, "Backup codes")
	b.clock.advance(later)
	form.Set("code", b.code(t, shown[1], 0))
	form.Set("setup", hidden(t, wrong.body, "setup"))
	done := v.post(t, "/settings/two-factor/verify", form)
	require.Equal(t, http.StatusOK, done.status, done.body)
	require.Contains(t, done.body, "Backup codes")
	backup := regexp.MustCompile(`<pre[^>]*>([^<\s]+)`).FindStringSubmatch(done.body)
	b.enterShop(t, s, backup[1])
}

// TestWhatDoesHarmTakesTwoPresses checks that the button of such a form is behind another one.
func TestWhatDoesHarmTakesTwoPresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		VALUES ('rc_0123456789abcdef01234567', $1, 'awaiting_approval', 1000, '\x01', '48DCHZ…3FaS4u', now(), now())`, s.refund)
	v.post(t, "/settings/payout", url.Values{"address": {payoutAddress}})
	b.receive(t, s.charge, money.OneXMR)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", s.charge)
	for page, action := range map[string]string{
		"/keys": "/keys/regenerate", "/refunds": "/refunds/" + s.refund + "/approve", "/payouts": "/payouts/sweep", "/settings/account": "/settings/delete",
	} {
		form := regexp.MustCompile(`(?s)<form[^>]* action="` + regexp.QuoteMeta(action) + `".*?</form>`).FindString(v.page(t, page))
		require.Regexp(t, `(?s)<details class="sure"><summary[^>]*>.*</summary>.*<button.*</details>`, form, page)
	}
}

// TestAChargesLinkIsShared checks the link, its QR code, and the link of a mail.
func TestAChargesLinkIsShared(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	page := v.page(t, "/charges/"+s.charge)
	link := linkToCopy(t, page)
	require.True(t, strings.HasSuffix(link, "/pay/"+s.charge), link)
	require.Contains(t, page, `src="/charges/`+s.charge+`/qr.png"`)
	require.Contains(t, page, `href="mailto:?body=`)
	image := v.send(t, http.MethodGet, "/charges/"+s.charge+"/qr.png", nil)
	require.Equal(t, "image/png", image.header.Get("Content-Type"))
	require.True(t, strings.HasPrefix(image.body, "\x89PNG"))
}

// linkToCopy returns the text that a page shows for copying.
func linkToCopy(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`class="copy"[^>]*>([^<]*)<`).FindStringSubmatch(page)
	require.NotNil(t, found)
	return found[1]
}

// TestTheTillShowsOnlyTheTill checks that the customer sees no menu.
func TestTheTillShowsOnlyTheTill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	for _, path := range []string{"/till", "/till/" + s.charge} {
		page := v.page(t, path)
		for _, word := range []string{`href="/payouts"`, `action="/log-out"`, `href="/settings"`, `href="/charges`} {
			require.NotContains(t, page, word, path)
		}
		require.Contains(t, page, "Example Shop", path)
	}
	require.Contains(t, v.page(t, "/till"), "Close the point of sale")
	require.Contains(t, v.page(t, "/"), `action="/log-out"`)
}

// TestTimesAndSumsAreThePersons sets a time zone and a currency.
func TestTimesAndSumsAreThePersons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	require.Contains(t, v.page(t, "/"), " EUR<", "the balance has a value")
	b.exec(t, "UPDATE charges SET created_at = '2026-01-15 12:00:00Z' WHERE id = $1", s.charge)
	require.Contains(t, v.page(t, "/charges/"+s.charge), "12:00 UTC")
	profile := url.Values{"business_name": {"Tea"}, "contact": {""}, "time_zone": {"Asia/Tokyo"}, "default_currency": {"USD"}}
	v.post(t, "/settings/profile", profile).leads(t, "/settings?done=1")
	require.Contains(t, v.page(t, "/charges/"+s.charge), "21:00 JST")
	require.Contains(t, v.page(t, "/settings"), `<option value="Asia/Tokyo" selected>`)
	for _, path := range []string{"/ask", "/payment-requests", "/till"} {
		require.Contains(t, v.page(t, path), `<option value="USD" selected>`, path)
	}
	require.Contains(t, v.page(t, "/"), " USD<")
	profile.Set("time_zone", "Mars/Olympus")
	require.Equal(t, http.StatusBadRequest, v.post(t, "/settings/profile", profile).status)
	b.send(t, http.MethodPut, "/api/account/profile", session(s.token), `{"defaultCurrency":"GBP"}`).require(t, http.StatusBadRequest)
}

// TestADeliveryShowsItsAttempts checks the log of a delivery, and that a key without the permission to see
// the event sees no headers, which hold a signature of it.
func TestADeliveryShowsItsAttempts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	b.exec(t, `INSERT INTO delivery_attempts (delivery_id, attempt, at, http_status, error, request_headers, answer)
		VALUES ($1, 1, '2026-01-15 12:00:00Z', 503, 'the receiver answered with a status other than 2xx', 'X-Merchant-Signature: 0123', '<b>busy</b>'),
			($1, 2, '2026-01-15 12:05:00Z', NULL, 'the connection was refused', 'X-Merchant-Signature: 0123', '')`, s.delivery)
	page := b.enterShop(t, s.shop, "").page(t, "/deliveries/"+s.delivery)
	for _, words := range []string{"Attempt 1", "Attempt 2", "HTTP 503", "the connection was refused", "X-Merchant-Signature: 0123", "&lt;b&gt;busy&lt;/b&gt;"} {
		require.Contains(t, page, words)
	}
	require.Less(t, strings.Index(page, "Attempt 2"), strings.Index(page, "Attempt 1"), "the newest first")
}

// TestActionsLeadToWhatTheyWereAbout checks the links and the filter by person.
func TestActionsLeadToWhatTheyWereAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	v.post(t, "/charges/"+s.charge+"/toggle-active", url.Values{"active": {"false"}})
	page := v.page(t, "/actions")
	require.Contains(t, page, `<a href="/charges/`+s.charge+`"><code dir="ltr">`+s.charge)
	require.NotContains(t, page, "/api/")
	require.Contains(t, page, `<a href="/actions?person=`+s.id+`"`)
	require.Contains(t, v.page(t, "/actions?person="+s.id), s.charge)
	require.NotContains(t, v.page(t, "/actions?person="+s.person), s.charge, "the person of the staff did nothing")
}

// TestPresetsStandForTheirParts makes a key and a webhook of presets.
func TestPresetsStandForTheirParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	require.Equal(t, http.StatusOK, v.post(t, "/keys", url.Values{"label": {"Books"}, "mode": {"live"}, "preset": {"read"}, "permissions": {"btcpay.store.cancreateinvoice"}}).status)
	require.Equal(t, []string{"{btcpay.store.canviewstoresettings}"}, rowsOf[string](t, b, "SELECT permissions::text FROM scoped_keys"))
	hook := func(preset string, events ...string) {
		t.Helper()
		a := v.post(t, "/webhooks", url.Values{"url": {"https://shop.example/" + preset}, "preset": {preset}, "events": events, "retries": {"long"}})
		require.Equal(t, http.StatusOK, a.status, a.body)
	}
	hook("sales", "payout.sent")
	hook("own", "payout.sent")
	require.Equal(t, []string{"{charge.confirmed,charge.late_confirmed,charge.expired} long", "{payout.sent} long"},
		rowsOf[string](t, b, "SELECT events::text || ' ' || retries FROM webhooks ORDER BY url DESC"))
}

// TestABuyerFillsInWhatIsRequired makes a payment request with choices, and opens its page.
func TestABuyerFillsInWhatIsRequired(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	made := v.post(t, "/payment-requests", url.Values{"amount": {"5"}, "currency": {"EUR"}, "buyer_email": {"required"}, "buyer_name": {"optional"}})
	require.Equal(t, http.StatusSeeOther, made.status, made.body)
	page := v.page(t, made.header.Get("Location"))
	require.Contains(t, page, "Email address (required), Name")
	link, err := url.Parse(linkToCopy(t, page))
	require.NoError(t, err)
	buyer := shopper{b: b}
	require.Regexp(t, `name="email"[^>]* required`, buyer.page(t, link.Path))
	require.NotRegexp(t, `name="name"[^>]* required`, buyer.page(t, link.Path))
	a := buyer.send(t, http.MethodPost, link.Path, url.Values{"name": {"Anna"}, "email": {" "}})
	require.Equal(t, http.StatusBadRequest, a.status)
	require.Contains(t, a.body, "Please fill in this field.")
	require.Contains(t, a.body, `value="Anna"`)
	require.Empty(t, rowsOf[string](t, b, "SELECT id FROM charges"))
	b.send(t, http.MethodPost, "/api/payment-requests", key(s.live), `{"amount":5,"fields":["email"],"required_fields":["name"]}`).require(t, http.StatusBadRequest)
}

// TestEarlierSalesHaveAValue switches reports on after a sale.
func TestEarlierSalesHaveAValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	b.enter(t, s, "live", moment("2026-03-01T00:00:00Z"), func(r *db.InsertLedgerParams) {
		r.Currency, r.FiatValue, r.FiatCurrency, r.FiatRate = "EUR", nil, nil, nil
	})
	v := b.enterShop(t, s, "")
	require.Contains(t, v.page(t, "/reports"), "Reports are off")
	v.post(t, "/reports", url.Values{"enabled": {"on"}, "currency": {"EUR"}}).leads(t, "/reports?done=1")
	page := v.page(t, "/reports?month=2026-03")
	require.Equal(t, 2, strings.Count(page, "3.00 EUR"), "the sum and the charge")
}

// TestReportsAreOnWhereTheOperatorSaysSo opens accounts with both settings of REPORTING_DEFAULT.
func TestReportsAreOnWhereTheOperatorSaysSo(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		b := setup(t, func(d *merchant.Deps) { d.Reporting = on })
		s := b.signup(t)
		a := b.send(t, http.MethodGet, "/api/auth/me", session(s.token), "").require(t, http.StatusOK)
		require.Equal(t, on, a.field(t, "merchant.reportingEnabled"))
	}
}

// TestTheChargesOfADayAreThoseOfThePersonsDay searches by days in another time zone.
func TestTheChargesOfADayAreThoseOfThePersonsDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	v := b.enterShop(t, s.shop, "")
	b.exec(t, "UPDATE merchants SET time_zone = 'Asia/Tokyo' WHERE merchant_id = $1", s.id)
	b.exec(t, "UPDATE charges SET created_at = $2 WHERE id = $1", s.charge, time.Date(2026, 1, 15, 20, 0, 0, 0, time.UTC))
	require.Contains(t, v.page(t, "/charges?from=2026-01-16&to=2026-01-16"), s.charge)
	require.NotContains(t, v.page(t, "/charges?from=2026-01-15&to=2026-01-15"), s.charge)
}
