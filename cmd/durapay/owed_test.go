package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func TestOwedNamesAmountAndAddress(t *testing.T) {
	t.Parallel()
	ctx, store, file := t.Context(), pgtest.New(t), t.TempDir()+"/keyset.json"
	require.NoError(t, secret.NewKeysetFile(file))
	box, err := secret.Open(file)
	require.NoError(t, err)
	merchant, id, now := secret.NewMerchantID(), secret.NewID("ch_"), time.Now()
	require.NoError(t, store.UpsertWallet(ctx, db.UpsertWalletParams{ID: "w", ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "p"}))
	_, err = store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte{1}, BusinessName: "Shop", PasswordHash: "x", LiveWalletID: "w", SandboxWalletID: "w",
	})
	require.NoError(t, err)
	pgtest.InsertCharge(t, store, db.InsertChargeParams{
		ID: id, MerchantID: merchant, Mode: "live", Source: "api", WalletID: "w", SubaddressIndex: 1, Subaddress: "s", Amount: money.MustDecimal("1"),
		Currency: "XMR", AmountPiconero: money.OneXMR, ConfirmFromPiconero: money.OneXMR, ConfirmationsRequired: 10, Metadata: "{}", Fields: []string{},
		CreatedAt: now, ExpiresAt: now,
	})
	for n, tx := range []string{"paid out", "first", "second"} {
		require.NoError(t, store.InsertReceivedPayment(ctx, db.InsertReceivedPaymentParams{
			WalletID: "w", TxHash: tx, SubaddressIndex: 1, ChargeID: &id, MerchantID: &merchant, Amount: money.Piconero(n+1) * money.OneXMR, Outputs: 1, FirstSeenAt: now,
		}))
	}
	_, err = store.Pool().Exec(ctx, "UPDATE received_payments SET payout_id = 'po_1' WHERE tx_hash = 'paid out'")
	require.NoError(t, err)
	_, _, err = owedFor(ctx, store, box, id)
	require.ErrorContains(t, err, "can sweep")
	require.NoError(t, store.EraseMerchant(ctx, db.EraseMerchantParams{MerchantID: merchant, Now: now}))
	_, _, err = owedFor(ctx, store, box, id)
	require.ErrorContains(t, err, "no payout address")

	sealed, err := box.Seal([]byte("the address"), secret.AD{Table: "merchants", Column: "payout_address", ID: merchant})
	require.NoError(t, err)
	masked := "the…ess"
	_, err = store.SetPayoutAddress(ctx, db.SetPayoutAddressParams{MerchantID: merchant, Sealed: sealed, Masked: &masked})
	require.NoError(t, err)
	owed, address, err := owedFor(ctx, store, box, id)
	require.NoError(t, err)
	require.Equal(t, 5*money.OneXMR, owed)
	require.Equal(t, "the address", address)
	_, _, err = owedFor(ctx, store, box, "ch_000000000000000000000000")
	require.Error(t, err)
}
