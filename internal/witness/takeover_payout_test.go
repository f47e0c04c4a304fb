package witness_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/internal/witness"
)

// failedSweep returns a wallet with a merchant's payout that failed here, although a
// transaction in a block has paid it. The payout was for a swap, whose order is
// known here if placed is set.
func failedSweep(t *testing.T, placed bool) (*bench, *witness.Recoverer) {
	t.Helper()
	b := setup(t)
	ctx := t.Context()
	require.NoError(t, b.keeper.Compare(ctx, wallet))
	_, err := b.store.InsertMerchant(ctx, db.InsertMerchantParams{
		MerchantID: merchant, EmailSealed: []byte{1}, EmailIndex: []byte("m"), BusinessName: "Shop", PasswordHash: "x",
		LiveWalletID: wallet, SandboxWalletID: wallet,
	})
	require.NoError(t, err)
	require.NoError(t, b.store.InsertReceivedPayment(ctx, db.InsertReceivedPaymentParams{
		WalletID: wallet, TxHash: "in", SubaddressIndex: 4, Amount: money.OneXMR, Outputs: 1, FirstSeenAt: time.Now(),
	}))
	b.exec(t, `INSERT INTO payouts (id, merchant_id, wallet_id, status, address_sealed, address_masked, gross, fee_rate, charges_paid, outputs,
		error, created_at, swap_ticker, swap_network) VALUES ($1, $2, $3, 'failed', '\x01', '4…x', 1000000000000, 0.005, 0, 1, 'not sent', now(), 'ltc', 'Mainnet')`,
		payoutID, merchant, wallet)
	if placed {
		b.exec(t, `INSERT INTO swaps (id, merchant_id, provider, id_provider, payout_id, ticker_from, network_from, ticker_to, network_to, amount_from,
			amount_expected, rate, deposit_address, created_at, expires_at, status, status_detail, quiet_since, polled_at, heard_at, closed_at, updated_at)
			VALUES ($1, $2, 'other', 'order', $3, 'xmr', 'Mainnet', 'ltc', 'Mainnet', 0.9, 1.7, 1.9, '4deposit', now(), now() + interval '1 hour', 'failed',
			$4, now(), now(), now(), now(), now())`, swap.OfPayout(payoutID), merchant, payoutID, swap.NotSent)
		b.exec(t, "UPDATE payouts SET swap_id = $1", swap.OfPayout(payoutID))
	}
	b.swept(t, nil)
	require.ErrorIs(t, b.keeper.Compare(ctx, wallet), witness.ErrSafeMode)
	return b, b.recoverer()
}

// swept makes the payout's transaction, in a block, and its entry in the wallet's
// file, with the order that it paid unless that is nil.
func (b *bench) swept(t *testing.T, order *witness.Order) {
	t.Helper()
	e := entry(1)
	e.Amount, e.Fee, e.Pays = "0.9", "0.01", []witness.Reference{{PayoutID: payoutID, MerchantID: merchant, Order: order}}
	require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Sends: 1}, &e))
	b.chain.Show(witness.Sent{TxHash: e.TxHash, Height: 9})
	b.chain.Receive(witness.Received{TxHash: "in", SubaddressIndex: 4})
}

func (b *bench) recoverer() *witness.Recoverer {
	return &witness.Recoverer{
		Keeper: b.keeper, Actor: "cli:test", Address: func(db.Merchant, string) ([]byte, error) { return []byte("sealed"), nil },
		Seal: func(_, address string) ([]byte, error) { return []byte("sealed " + address), nil },
	}
}

func (b *bench) exec(t *testing.T, sql string, args ...any) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// TestRecoverFollowsTheSwapOfAPayout: a swap failed with its payout, which was paid
// after all. Its merchant sees its further progress.
func TestRecoverFollowsTheSwapOfAPayout(t *testing.T) {
	t.Parallel()
	b, r := failedSweep(t, true)
	for n := range 2 {
		done, err := r.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.Equal(t, n == 0, done.Ended)
	}
	p, err := b.store.GetPayout(t.Context(), payoutID)
	require.NoError(t, err)
	require.Equal(t, "broadcast", p.Status)
	require.Equal(t, swap.OfPayout(payoutID), *p.SwapID)
	row, err := b.store.GetSwap(t.Context(), *p.SwapID)
	require.NoError(t, err)
	require.Equal(t, "waiting", row.Status)
	require.Empty(t, row.StatusDetail)
	require.Nil(t, row.ClosedAt, "its provider is asked")
	funded, err := b.store.SwapIsFunded(t.Context(), row.ID)
	require.NoError(t, err)
	require.True(t, funded)
}

// TestRecoverLeavesTheWordOfAProvider: a swap that its provider has ended does not
// change.
func TestRecoverLeavesTheWordOfAProvider(t *testing.T) {
	t.Parallel()
	b, r := failedSweep(t, true)
	b.exec(t, "UPDATE swaps SET status = 'refunded', status_detail = ''")
	_, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	row, err := b.store.GetSwap(t.Context(), swap.OfPayout(payoutID))
	require.NoError(t, err)
	require.Equal(t, "refunded", row.Status)
	require.NotNil(t, row.ClosedAt)
}

// TestRecoverReportsASwapThatIsNotKnown: the lost copy of the database had ordered
// the swap that the payout paid. This copy cannot follow it.
func TestRecoverReportsASwapThatIsNotKnown(t *testing.T) {
	t.Parallel()
	b, r := failedSweep(t, false)
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Ended)
	require.Equal(t, witness.Recorded, done.Sends[0].Outcome)
	require.Contains(t, done.Sends[0].Why, "swap that is not known here")
	alerted, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "send_unmatched", Subject: done.Sends[0].TxHash})
	require.NoError(t, err)
	require.True(t, alerted)
}

// TestRecoverTakesThePayoutFirst: a worker that abandons a payout locks it, and then
// the payments that it has reserved. The recovery waits for the payout, and locks
// none of the payments meanwhile.
func TestRecoverTakesThePayoutFirst(t *testing.T) {
	t.Parallel()
	b, r := failedSweep(t, true)
	tx, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), "SELECT FROM payouts FOR UPDATE")
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := r.Apply(t.Context(), wallet)
		done <- err
	}()
	pgtest.AwaitBlocked(t, b.store, tx, 1)
	_, err = tx.Exec(t.Context(), "SELECT FROM received_payments FOR UPDATE NOWAIT")
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-done)
}
