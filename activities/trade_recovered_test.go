package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// answeredUnseen is a trade whose deposit was paid by a newer copy of the database.
// An operator has accepted that before a watcher of this copy saw the deposit. The
// payment is in a block at a height, or in none where that is 0.
func answeredUnseen(t *testing.T, height uint64) (b *bureau, tradeID string) {
	t.Helper()
	b = bureauOf(t)
	row := b.create(t, b.request("1"))
	keeper := b.payments.Witness
	require.NoError(t, keeper.Compare(t.Context(), "ltc"))
	e := witness.Entry{Seq: 1, TxHash: "theirs", Purpose: "trade_payout", Amount: "1.95999", Fee: "0.00001", Pays: []witness.Reference{{
		TradeID: row.ID, Kind: "payout", DepositTx: "deposit", DepositAddress: row.DepositAddress, Amount: "1.95999", Paid: "1.95999", Fee: "0.00001",
	}}}
	w := keeper.Wallets["ltc"]
	for _, p := range append(w.Own, w.Temporal) {
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: 1}, &e))
	}
	w.Chain.(*witnesstest.Chain).Show(witness.Sent{TxHash: e.TxHash, Height: height})
	require.ErrorIs(t, keeper.Compare(t.Context(), "ltc"), witness.ErrSafeMode)
	for _, accept := range [][]string{nil, {e.TxHash}} {
		done, err := (&witness.Recoverer{Keeper: keeper, Actor: "cli:ann", Accept: accept}).Apply(t.Context(), "ltc")
		require.NoError(t, err)
		require.Equal(t, accept != nil, done.Ended)
	}
	b.ltc.mined[e.TxHash] = 1
	return b, row.ID
}

// TestDepositThatWasAnsweredBeforeItWasSeen: once its watcher sees it the deposit
// is not paid again. It had come in time, whenever it was seen here.
func TestDepositThatWasAnsweredBeforeItWasSeen(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]time.Duration{"within its window": 0, "after its window": 2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := answeredUnseen(t, 500)
			b.now = b.now.Add(late)
			b.deposit(b.row(t, id), "deposit", "1", 2)
			state := b.advance(t, id)
			require.Equal(t, trade.Sending, state.Status)
			b.send(t, state)
			b.ltc.mined["theirs"] = 2
			for range 2 {
				require.NoError(t, b.payments.CheckTradePayments(t.Context(), tasks.Trade{TradeID: id}))
			}
			require.Equal(t, trade.Completed, b.advance(t, id).Status)
			payments, err := b.store.TradePayments(t.Context(), id)
			require.NoError(t, err)
			require.Len(t, payments, 1)
			require.Equal(t, "payout confirmed theirs", payments[0].Kind+" "+payments[0].State+" "+*payments[0].TxHash)
			require.Empty(t, b.ltc.relayed, "nothing else is sent")
		})
	}
}

// TestDepositWhoseAnswerWasGivenUp is owed when it is seen.
func TestDepositWhoseAnswerWasGivenUp(t *testing.T) {
	t.Parallel()
	b, id := answeredUnseen(t, 0)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE outgoing_transactions SET state = 'abandoned', abandoned_at = now(), abandoned_by = 'cli:ann'")
	require.NoError(t, err)
	b.deposit(b.row(t, id), "deposit", "1", 2)
	state := b.advance(t, id)
	require.Equal(t, trade.Processing, state.Status)
	require.Len(t, state.Payments, 1)
	b.send(t, state)
	require.Len(t, b.ltc.relayed, 1)
}

// The watcher stores the deposit while its answer is being given up: whoever gives
// up holds the row for as long as daemon and wallet are asked.
func TestDepositWhoseAnswerIsBeingGivenUp(t *testing.T) {
	t.Parallel()
	b, id := answeredUnseen(t, 0)
	tx, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM outgoing_transactions FOR UPDATE")
	require.NoError(t, err)
	b.deposit(b.row(t, id), "deposit", "1", 2)
	scan, err := b.watcher.Scanner("xmr")
	require.NoError(t, err)
	seen := make(chan error, 1)
	go func() { seen <- scan(t.Context()) }()
	require.Eventually(t, func() (waits bool) {
		err := b.store.Pool().QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')").Scan(&waits)
		return err == nil && waits
	}, 20*time.Second, 10*time.Millisecond)
	_, err = tx.Exec(t.Context(), "UPDATE outgoing_transactions SET state = 'abandoned', abandoned_at = now(), abandoned_by = 'cli:ann'")
	require.NoError(t, err)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-seen)
	state := b.advance(t, id)
	require.Equal(t, trade.Processing, state.Status)
	require.Len(t, state.Payments, 1)
	b.send(t, state)
	require.Len(t, b.ltc.relayed, 1)
}
