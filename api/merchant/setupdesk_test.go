package merchant_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
)

// TestAListLeadsANewShopToItsFirstPayment does one step after the other. Each is then done, and
// stays done; the list goes away with the last.
func TestAListLeadsANewShopToItsFirstPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	steps := []struct {
		name, text, start string
		do                func()
	}{
		{"test_payment", "1. Take a test payment", `>Start in the sandbox<`, func() { b.enter(t, s, config.Sandbox, b.clock.Now()) }},
		{"payout_address", "2. Set your payout address", `href="/settings"`, func() {
			v.post(t, "/settings/payout", url.Values{"address": {payoutAddress}}).leads(t, "/settings?done=1")
		}},
		{"shop_connected", "4. Connect your shop", `href="/docs/connect-a-shop#woocommerce"`, func() {
			b.webhook(t, s, `{"url":"https://shop.example/","mode":"sandbox"}`)
			b.scoped(t, s, "WooCommerce", permission.ViewInvoices)
		}},
		{"reports", "5. Switch on reports", `href="/reports"`, func() {
			v.post(t, "/reports", url.Values{"enabled": {"on"}, "currency": {"EUR"}}).leads(t, "/reports?done=1")
		}},
		{"live_payment", "6. Take your first real payment", `href="/ask"`, func() { b.enter(t, s, config.Live, b.clock.Now()) }},
		{"two_factor", "3. Turn on two-factor login", `href="/settings/two-factor"`, func() {
			b.exec(t, "UPDATE merchants SET totp_secret_sealed = '\\x01', totp_enabled_at = now() WHERE merchant_id = $1", s.id)
		}},
	}
	for done, step := range steps {
		home := v.page(t, "/")
		require.Contains(t, home, "Set up your shop")
		require.Contains(t, home, []string{"0", "1", "2", "3", "4", "5"}[done]+" of 6 steps are done.")
		row := regexp.MustCompile(`(?s)<dt>` + regexp.QuoteMeta(step.text) + `</dt>.*?</div>`).FindString(home)
		require.Contains(t, row, step.start, step.name)
		require.Contains(t, b.send(t, http.MethodGet, "/api/account/setup", session(s.token), "").body, `"`+step.name+`":false`)
		step.do()
		answer := b.send(t, http.MethodGet, "/api/account/setup", session(s.token), "").require(t, http.StatusOK).body
		require.Contains(t, answer, `"`+step.name+`":true`)
		require.Contains(t, answer, map[bool]string{false: `"complete":false`, true: `"complete":true`}[done == len(steps)-1])
	}
	require.NotContains(t, v.page(t, "/"), "Set up your shop")
}

// TestTheListOpensTheFormInTheRightMode presses its button, and goes back by it.
func TestTheListOpensTheFormInTheRightMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	v := b.enterShop(t, b.signup(t), "")
	pressed := v.post(t, "/mode", url.Values{"mode": {"sandbox"}, "next": {"/ask"}})
	pressed.leads(t, "/ask")
	v.cookie = deskCookie(t, pressed).Value
	home := v.page(t, "/")
	require.Contains(t, home, ">Start in live mode<")
	require.NotContains(t, home, ">Start in the sandbox<")
	for next, leads := range map[string]string{"//evil.example": "/", "https://evil.example/": "/", "": "/"} {
		v.post(t, "/mode", url.Values{"mode": {"live"}, "next": {next}}).leads(t, leads)
	}
}

// TestTheDeskSaysWhoHoldsTheMoney checks it on the first page and before the sign-up.
func TestTheDeskSaysWhoHoldsTheMoney(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) {
		d.OperatorName, d.OperatorContact, d.FeeRate = "Tea & Ports Ltd", "help@example.com", money.MustDecimal("0.005")
	})
	v := b.enterShop(t, b.signup(t), "")
	for _, page := range []string{v.page(t, "/"), v.inSandbox(t).page(t, "/"), shopper{b: b}.page(t, "/sign-up")} {
		for _, words := range []string{"the operator of this service holds the money", "Tea &amp; Ports Ltd", "help@example.com", "0.5 % of each payout"} {
			require.Contains(t, page, words)
		}
	}
	unnamed := setup(t)
	page := shopper{b: unnamed}.page(t, "/sign-up")
	require.Contains(t, page, "the operator of this service holds the money")
	require.Contains(t, page, "0 % of each payout")
	require.False(t, strings.Contains(page, "<dt>Operator") || strings.Contains(page, "<dt>Contact"), "a service without a name says none")
}
