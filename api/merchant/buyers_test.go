package merchant_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
)

// TestAnExpiredPaymentTellsHowToReachTheMerchant reads the contact that the merchant set.
func TestAnExpiredPaymentTellsHowToReachTheMerchant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	page := func() string {
		return b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").require(t, http.StatusOK).body
	}
	b.exec(t, "UPDATE charges SET status = 'expired', invoice_status = 'Expired', expires_at = $2 WHERE id = $1", id, b.clock.Now())
	require.NotContains(t, page(), "mailto:")
	b.send(t, http.MethodPut, "/api/account/profile", session(s.token), `{"contact":"help@shop.example\nStreet 1"}`).require(t, http.StatusOK)
	require.Contains(t, page(), `href="mailto:help@shop.example"`)
	require.Contains(t, page(), "Street 1")
	b.exec(t, "UPDATE charges SET link_active = false WHERE id = $1", id)
	gone := b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "")
	require.Equal(t, http.StatusGone, gone.status)
	require.Contains(t, gone.body, `href="mailto:help@shop.example"`)
}

// TestBuyerAndMerchantReadThatPaymentsCannotBeSeen covers a wallet that is no longer scanned.
func TestBuyerAndMerchantReadThatPaymentsCannotBeSeen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	id := b.charge(t, s.shop, config.Live)
	v := b.enterShop(t, s.shop, "")
	for _, c := range []struct {
		scanned *time.Time
		seen    bool
	}{
		{nil, false},
		{new(b.clock.Now().Add(-postgres.UnwatchedAfter + time.Second)), true},
		{new(b.clock.Now().Add(-postgres.UnwatchedAfter - time.Second)), false},
	} {
		b.exec(t, "UPDATE chains SET scanned_at = $1 WHERE id = 'xmr-live'", c.scanned)
		overview := b.send(t, http.MethodGet, "/api/overview", key(s.live), "").require(t, http.StatusOK)
		require.Equal(t, c.seen, overview.field(t, "payments_seen"))
		status := b.send(t, http.MethodGet, "/pay/"+id+"/status", anonymous(), "").require(t, http.StatusOK).body
		home := v.page(t, "/")
		if c.seen {
			require.NotContains(t, status, "do not send it again")
			require.NotContains(t, home, "Payments cannot be seen at the moment")
			continue
		}
		require.Contains(t, status, "do not send it again")
		require.Contains(t, home, "Payments cannot be seen at the moment")
	}
}

// TestTheLinkNamesTheShopIfTheMerchantChose sets and unsets it.
func TestTheLinkNamesTheShopIfTheMerchantChose(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.signup(t)
	id := b.charge(t, s, config.Live)
	for _, names := range []bool{true, true, false} {
		body := `{"namesInLinks":false}`
		if names {
			body = `{"namesInLinks":true}`
		}
		a := b.send(t, http.MethodPut, "/api/account/profile", session(s.token), body).require(t, http.StatusOK)
		require.Equal(t, names, a.field(t, "namesInLinks"))
		page := b.send(t, http.MethodGet, "/pay/"+id, anonymous(), "").require(t, http.StatusOK).body
		if names {
			require.Contains(t, page, "&amp;recipient_name=")
		} else {
			require.NotContains(t, page, "recipient_name")
		}
	}
}

// TestABuyersAddressAsksForAReceipt checks what the form stores, sent twice and in two languages.
func TestABuyersAddressAsksForAReceipt(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *merchant.Deps) { d.Mails = true })
	s := b.signup(t)
	languages := func() []string { return rowsOf[string](t, b, "SELECT language FROM receipts ORDER BY 1") }
	id := b.charge(t, s, config.Live, asking("email", "note"))
	page := b.send(t, http.MethodGet, "/pay/"+id+"?lang=de", anonymous(), "").require(t, http.StatusOK).body
	require.Contains(t, page, "Sie erhalten eine Quittung")
	path := "/api/charges/" + id + "/buyer-info?lang="
	b.post(t, path+"de", url.Values{"note": {"none"}}).require(t, http.StatusSeeOther)
	b.post(t, path+"de", url.Values{"email": {"no address"}}).require(t, http.StatusSeeOther)
	require.Empty(t, languages())
	for range 2 {
		b.post(t, path+"de", url.Values{"email": {"buyer@example.com"}}).require(t, http.StatusSeeOther)
		require.Equal(t, []string{"de"}, languages())
	}
	b.post(t, path+"../x", url.Values{"email": {"buyer@example.com"}}).require(t, http.StatusSeeOther)
	require.Equal(t, []string{"en"}, languages(), "a language that there is none of")

	b.send(t, http.MethodPut, "/api/account/profile", session(s.token), `{"mailsReceipts":false}`).require(t, http.StatusOK)
	other := b.charge(t, s, config.Live, asking("email"))
	page = b.send(t, http.MethodGet, "/pay/"+other, anonymous(), "").require(t, http.StatusOK).body
	require.NotContains(t, page, "You get a receipt")
}
