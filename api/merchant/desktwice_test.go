package merchant_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
)

// settled returns a live charge of the shop with one XMR that can be spent.
func (b *bench) settled(t *testing.T, s shop) string {
	t.Helper()
	charge := b.charge(t, s, config.Live)
	b.receive(t, charge, money.OneXMR)
	b.exec(t, "UPDATE received_payments SET mature = true WHERE charge_id = $1", charge)
	b.exec(t, "UPDATE charges SET status = 'confirmed', confirmed_at = now() WHERE id = $1", charge)
	return charge
}

// formOf returns a form from a page, with the values of its hidden fields.
func (v shopper) formOf(t *testing.T, path string, filled url.Values) url.Values {
	t.Helper()
	form, page := url.Values{}, v.page(t, path)
	for _, hidden := range regexpFind(`type="hidden" name="([a-z_]+)"`, page) {
		form.Set(hidden, regexpFind(`type="hidden" name="`+hidden+`" value="([^"]*)"`, page)[0])
	}
	maps.Copy(form, filled)
	return form
}

// sendsTwice sends the same form twice. The second answer must be a conflict: the form was
// accepted the first time.
func (v shopper) sendsTwice(t *testing.T, path string, form url.Values, first int) answer {
	t.Helper()
	a := v.send(t, http.MethodPost, path, form)
	require.Equal(t, first, a.status, "%s: %s", path, a.body)
	a = v.send(t, http.MethodPost, path, form)
	require.Equal(t, http.StatusConflict, a.status, "%s: %s", path, a.body)
	require.Contains(t, a.problem(t), "It was accepted the first time", path)
	return a
}

// TestAFormOfARefundThatIsSentTwiceMakesOne checks that a reload makes no second refund. The
// page with the link is the answer to the form, so a reload sends the form again.
func TestAFormOfARefundThatIsSentTwiceMakesOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	charge := b.settled(t, s)
	v := b.enterShop(t, s, "")
	form := v.formOf(t, "/charges/"+charge, url.Values{"variant": {"Custom"}, "amount": {"0.25"}, "currency": {"XMR"}})
	v.sendsTwice(t, "/charges/"+charge+"/refunds", form, http.StatusOK) // first the button, then the browser's reload
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM refunds"), "one form, one refund")
}

// TestRefundSaysWhatItCosts checks that the merchant sees the operator's share next to the link,
// because refunded money pays that share. Without a share the page shows none.
func TestRefundSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	for rate, shown := range map[string]bool{"0.01": true, "0": false} {
		b := setup(t, func(d *merchant.Deps) { d.FeeRate = money.MustDecimal(rate) })
		s := b.signup(t)
		charge := b.settled(t, s)
		v := b.enterShop(t, s, "")
		form := v.formOf(t, "/charges/"+charge, url.Values{"variant": {"Custom"}, "amount": {"0.25"}, "currency": {"XMR"}})
		made := v.send(t, http.MethodPost, "/charges/"+charge+"/refunds", form)
		require.Equal(t, http.StatusOK, made.status)
		require.Equal(t, shown, strings.Contains(made.body, "fee, paid by you"), made.body)
		require.Equal(t, shown, strings.Contains(made.body, "0.0025 XMR"))
		list := b.send(t, http.MethodGet, "/api/refunds", key(s.live), "").require(t, http.StatusOK)
		require.Contains(t, list.body, `"fee_rate":`+rate)
	}
}

// TestAFormOfASaleThatIsSentTwiceAtOnceMakesOne sends the same form twice at the same time, as a
// double click does.
func TestAFormOfASaleThatIsSentTwiceAtOnceMakesOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	code := formCode.FindStringSubmatch(v.page(t, "/till"))[1]
	for round := range 20 {
		form := url.Values{"form": {code}, "amount": {"5"}, "currency": {"EUR"}, "once": {fmt.Sprint("desk-once", round)}}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() { v.send(t, http.MethodPost, "/till", form) })
		}
		both.Wait()
	}
	require.Equal(t, []string{"20"}, rowsOf[string](t, b, "SELECT count(*)::text FROM charges"), "as many as there were forms")
}

// TestAFormOfAChargeWithAnOrderThatIsSentTwiceMakesOne checks that an order ID does not turn off
// the protection against a second charge.
func TestAFormOfAChargeWithAnOrderThatIsSentTwiceMakesOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	again := v.sendsTwice(t, "/ask", v.formOf(t, "/ask", url.Values{"amount": {"5"}, "currency": {"EUR"}, "order_id": {"A-1"}}), http.StatusSeeOther)
	require.Contains(t, again.body, "/charges/"+rowsOf[string](t, b, "SELECT id FROM charges")[0], "it leads to the charge")
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM charges"))
}

// TestAFormOfAnInviteThatIsSentTwiceMakesOne checks that no second invite exists, because its
// link would be an unknown way into the shop.
func TestAFormOfAnInviteThatIsSentTwiceMakesOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	again := v.sendsTwice(t, "/staff/invites", v.formOf(t, "/staff", url.Values{"role": {"owner"}, "note": {"Anna"}}), http.StatusOK)
	require.Contains(t, again.problem(t), "shown once")
	require.Equal(t, []string{"1"}, rowsOf[string](t, b, "SELECT count(*)::text FROM staff_invites"))
}

// TestFormsThatMakeThingsMakeThemOnce sends each form twice. Each of these pages is the answer
// to its form, or leads away from it only after some seconds, so a second click is likely.
func TestFormsThatMakeThingsMakeThemOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, c := range map[string]struct {
		form  url.Values
		count string
		first int
	}{
		"/keys":             {url.Values{"label": {"Shop"}, "mode": {"live"}, "permissions": {"btcpay.store.canviewinvoices"}}, "scoped_keys", http.StatusOK},
		"/webhooks":         {url.Values{"url": {"https://shop.example/hook"}, "events": {"charge.confirmed"}}, "webhooks", http.StatusOK},
		"/payment-requests": {url.Values{"amount": {"5"}, "currency": {"EUR"}, "single_use": {"on"}}, "payment_requests", http.StatusSeeOther},
	} {
		s := b.signup(t)
		v := b.enterShop(t, s, "")
		v.sendsTwice(t, path, v.formOf(t, path, c.form), c.first)
		if n := rowsOf[string](t, b, "SELECT count(*)::text FROM "+c.count+" WHERE merchant_id = '"+s.id+"'"); n[0] != "1" {
			t.Errorf("%s makes %s of one form", path, n[0])
		}
	}
}

// TestAThousandIsNotOne checks that 1,250, which means 1250 in English, is not read as 1.25 XMR,
// neither in a price nor in a refund. An ambiguous number is refused.
func TestAThousandIsNotOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	v := b.enterShop(t, s, "")
	v.post(t, "/ask", url.Values{"amount": {"1,250"}, "currency": {"XMR"}})
	require.Empty(t, rowsOf[string](t, b, "SELECT amount::text FROM charges"))
}
