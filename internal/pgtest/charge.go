package pgtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// InsertCharge inserts the row of a charge alone: no event, and no wakeup.
func InsertCharge(tb testing.TB, store *postgres.Store, p db.InsertChargeParams) {
	tb.Helper()
	_, err := store.Pool().Exec(tb.Context(), `INSERT INTO charges (id, merchant_id, mode, source, payment_request_id, wallet_id, subaddress_index,
			subaddress, amount, currency, amount_piconero, confirm_from_piconero, xmr_rate, rate_at, confirmations_required, metadata, order_id,
			description, return_url, fields, link_expires_at, created_at, expires_at, checkout, counts_until, has_buyer_info, created_height)
		SELECT $1, $2, $3, $4, $5, w.id, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25,
			$16 LIKE '%"buyer%', chain.chain_height FROM wallets w JOIN chains AS chain ON chain.id = w.chain_id WHERE w.id = $6`,
		p.ID, p.MerchantID, p.Mode, p.Source, p.PaymentRequestID, p.WalletID, p.SubaddressIndex,
		p.Subaddress, p.Amount, p.Currency, p.AmountPiconero, p.ConfirmFromPiconero, p.XmrRate, p.RateAt, p.ConfirmationsRequired, p.Metadata, p.OrderID,
		p.Description, p.ReturnUrl, p.Fields, p.LinkExpiresAt, p.CreatedAt, p.ExpiresAt, p.Checkout, p.CountsUntil)
	require.NoError(tb, err)
}
