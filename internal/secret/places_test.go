package secret_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

// sealedPlace is a place and its bytes as associated data.
type sealedPlace struct {
	ad   secret.AD
	text string
}

// everyPlace returns each place of the list.
func everyPlace() []sealedPlace {
	return []sealedPlace{
		{secret.EmailPlace.Of("m"), "merchants:email:m"},
		{secret.TOTPPlace.Of("m"), "merchants:totp_secret:m"},
		{secret.PayoutPlace.Of("m"), "merchants:payout_address:m"},
		{secret.AutoSwapPlace.Of("m"), "merchants:auto_swap_address:m"},
		{secret.VerificationEmailPlace.Of("ev_1"), "email_verifications:email:ev_1"},
		{secret.VerificationTokenPlace.Of("ev_1"), "email_verifications:token:ev_1"},
		{secret.NoticePlace.Of("an_1"), "account_notices:email:an_1"},
		{secret.NoticeOffPlace(), "notice_links:off:v1"},
		{secret.EndPlace(), "notice_links:end:v1"},
		{secret.ResetPlace.Of("pr_1"), "password_resets:token:pr_1"},
		{secret.WebhookPlace.Of("wh_1"), "webhooks:secret:wh_1"},
		{secret.SweepAddressPlace.Of("po_1"), "payouts:address:po_1"},
		{secret.SweepSwapPlace.Of("po_1"), "payouts:swap_address:po_1"},
		{secret.RefundTokenPlace.Of("rf_1"), "refunds:token:rf_1"},
		{secret.ClaimAddressPlace.Of("rc_1"), "refund_claims:address:rc_1"},
		{secret.ClaimProofPlace.Of("rc_1"), "refund_claims:proof:rc_1"},
		{secret.OwnClaimPlace.Of("rc_1"), "refund_claims:own_address:rc_1"},
		{secret.ProofPlace(7), "outgoing_transactions:proof:7"},
		{secret.SwapAddressPlace.Of("swp_1"), "swaps:address:swp_1"},
		{secret.SwapRefundPlace.Of("swp_1"), "swaps:refund:swp_1"},
		{secret.QuotePlace(), "swap_quotes:offer:v1"},
		{secret.ViewKeyPlace.Of("own_1"), "wallets:view_key:own_1"},
		{secret.PartnerPlace.Of("sk_1"), "swap_keys:secret:sk_1"},
		{secret.TradePlace.Of("t1"), "trades:details:t1"},
		{secret.OriginsPlace("w", "tx", "a"), "received_payments:origins:w/tx/a"},
		{secret.ResponsePlace.Of("t1"), "idempotency_keys:response:t1"},
	}
}

// Data from the time when each caller named its place itself can still be opened,
// and only at its own place. The file contains a text sealed at each place, which is
// the name of the place.
func TestWhatWasSealedOpensAtItsPlace(t *testing.T) {
	t.Parallel()
	box := open(t, filepath.Join("testdata", "keyset.json"))
	text, err := os.ReadFile(filepath.Join("testdata", "sealed.json"))
	require.NoError(t, err)
	var sealed map[string]string
	require.NoError(t, json.Unmarshal(text, &sealed))
	for _, p := range everyPlace() {
		for place, value := range sealed {
			ciphertext, err := hex.DecodeString(value)
			require.NoError(t, err)
			plain, err := box.Unseal(ciphertext, p.ad)
			if place != p.text {
				require.ErrorIs(t, err, secret.ErrUnseal, "%s at %v", place, p.ad)
				continue
			}
			require.NoError(t, err, place)
			require.Equal(t, place, string(plain))
		}
	}
}
