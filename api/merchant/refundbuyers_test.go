package merchant_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBuyersDoNotLearnOfTheMerchantsAccount checks that only the merchant reads why the account pays
// nothing: it is suspended, or its payouts are held.
func TestBuyersDoNotLearnOfTheMerchantsAccount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.own(t)
	for _, reason := range []string{"suspension", "hold", "payout_address", "safe_mode", "charge"} {
		b.exec(t, "DELETE FROM refund_claims")
		b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at, approved_at, waits_for)
			SELECT 'rc_0123456789abcdef01234567', id, 'awaiting_payment', amount, '\x01', '8…x', now(), now(), now(), $2 FROM refunds WHERE id = $1`, s.refund, reason)
		require.Contains(t, b.send(t, http.MethodGet, "/api/refunds/"+s.refund, key(s.live), "").require(t, http.StatusOK).body, `"waits_for":"`+reason+`"`)
		public := b.send(t, http.MethodGet, "/api/refunds/"+s.refund+"/public", as{"X-Refund-Token", "token"}, "").require(t, http.StatusOK).body
		require.Contains(t, public, `"waits_for":"shop","waits_text":"it waits for the shop, or for the operator of this service"`)
		theirs := b.send(t, http.MethodGet, "/api/v1/pull-payments/"+s.refund+"-token/payouts", anonymous(), "").require(t, http.StatusOK).body
		require.Contains(t, theirs, `"waitsFor":"it waits for the shop, or for the operator of this service"`)
	}
}

// TestAFormForAPartThatIsSentTwice checks that a second press of the button is answered as the first
// one, although the refund has less left then.
func TestAFormForAPartThatIsSentTwice(t *testing.T) {
	t.Parallel()
	b := setupWithTemporal(t)
	s := b.own(t)
	page := &browser{b: b}
	send := func(amount string) int {
		return page.open(t, "/refund/"+s.refund+"/token", url.Values{"address": {buyersAddress}, "amount": {amount}}).status
	}
	for range 2 {
		require.Equal(t, http.StatusSeeOther, send("0.7"))
	}
	require.Equal(t, http.StatusBadRequest, send("0.4"), "more than what is left")
	require.Equal(t, http.StatusBadRequest, send("0.0001"), "too little")
	require.Equal(t, []string{"0.7"}, rowsOf[string](t, b, "SELECT trim_scale(amount / 1000000000000)::text FROM refund_claims"))
}
