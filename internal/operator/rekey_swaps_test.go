package operator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/secret"
)

func TestRotationReachesSwaps(t *testing.T) {
	t.Parallel()
	r, id := newRotation(t), secret.NewID("swp_")
	place := func(column string) secret.AD { return secret.AD{Table: "swaps", Column: column, ID: id} }
	for _, sql := range []string{
		"INSERT INTO chains (id) VALUES ('xmr-Mainnet') ON CONFLICT DO NOTHING",
		"INSERT INTO wallets (id, chain_id, mode, primary_address) VALUES ('live-1', 'xmr-Mainnet', 'live', 'a'), ('test-1', 'xmr-Mainnet', 'sandbox', 'b')",
		`INSERT INTO merchants (merchant_id, email_sealed, email_index, business_name, password_hash, live_wallet_id, sandbox_wallet_id, deleted_at)
			VALUES ('0123456789abcdef0123456789abcdef', NULL, NULL, '', '', 'live-1', 'test-1', now())`,
	} {
		r.exec(t, sql)
	}
	insert := `INSERT INTO swaps (id, merchant_id, provider, id_provider, ticker_from, network_from, ticker_to, network_to, amount_from,
		amount_expected, rate, deposit_address, address_sealed, refund_sealed, created_at, expires_at, quiet_since, polled_at, heard_at, updated_at)
		VALUES ($1, '0123456789abcdef0123456789abcdef', 'ex', $1, 'xmr', 'Mainnet', 'ltc', 'Mainnet', 1, 1, 1, 'd', $2, $3,
		now(), now() + interval '1 hour', now(), now(), now(), now())`
	r.exec(t, insert, id, r.seal(t, "address", place("address")), r.seal(t, "refund", place("refund")))
	r.exec(t, insert, secret.NewID("swp_"), nil, nil) // a swap of a deleted account

	now := r.rotate(t, 2, "address and refund address")
	row, err := r.store.GetSwap(t.Context(), id)
	require.NoError(t, err)
	now.requireOpens(t, "address", row.AddressSealed, place("address"))
	now.requireOpens(t, "refund", row.RefundSealed, place("refund"))
}
