package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// TestPayoutIsShownWithTheKeyThatProvesIt checks that the transaction key is shown. An
// operator needs it to prove a payment to a provider.
func TestPayoutIsShownWithTheKeyThatProvesIt(t *testing.T) {
	t.Parallel()
	i, id := install(t), secret.NewID("po_")
	require.NoError(t, i.store.InsertPayout(t.Context(), db.InsertPayoutParams{
		ID: id, MerchantID: i.merchant, WalletID: "live", AddressSealed: []byte{1}, AddressMasked: "a…b",
		Gross: 1, ChargesPaid: 1, Outputs: 1, CreatedAt: time.Now(),
	}))
	require.Empty(t, i.must(t, "payouts", "show", id)["tx_key"], "not built yet")
	sealed, err := i.box.Seal([]byte("the key"), secret.ProofPlace(7))
	require.NoError(t, err)
	_, err = i.store.Pool().Exec(t.Context(), `INSERT INTO outgoing_transactions (id, wallet_id, purpose, payout_id, state, seq, tx_hash, raw,
		inputs, payments, paid, fee, created_at, built_at, proof_sealed) VALUES (7, 'live', 'payout', $1, 'built', 1, 'h', '', '{"image"}', '{1}', 1, 0, now(), now(), $2)`,
		id, sealed)
	require.NoError(t, err)
	shown := i.must(t, "payouts", "show", id)
	require.Equal(t, "the key", shown["tx_key"])
	require.Equal(t, []any{"image"}, shown["key_images"])
}
