package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/pgtest"
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
	b.partner(t)
	in, key := b.request("1"), partnerKeyID
	in.KeyID, in.Markup = &key, 100
	row := b.create(t, in)
	keeper := b.payments.Witness
	require.NoError(t, keeper.Compare(t.Context(), "ltc"))
	e := witness.Entry{Seq: 1, TxHash: "theirs", Purpose: "trade_payout", Amount: "1.9", Fee: "0.00001", Pays: []witness.Reference{{
		TradeID: row.ID, Kind: "payout", DepositTx: "deposit", DepositAddress: row.DepositAddress, Amount: "1.9", Paid: "1.9", Fee: "0.00001",
	}}}
	w := keeper.Wallets["ltc"]
	for _, p := range w.Places() {
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
	for name, c := range map[string]struct {
		late    time.Duration
		expired bool
	}{
		"within its window": {}, "after its window": {late: 2 * time.Hour}, "after it expired": {4 * time.Hour, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := answeredUnseen(t, 500)
			b.now = b.now.Add(c.late)
			if c.expired {
				require.Equal(t, trade.Expired, b.advance(t, id).Status)
			}
			b.deposit(b.row(t, id), "deposit", "1", 2)
			state := b.advance(t, id)
			require.Equal(t, trade.Sending, state.Status)
			b.send(t, state)
			b.ltc.mined["theirs"] = 2
			for range 2 {
				require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: id}))
			}
			require.Equal(t, trade.Completed, b.advance(t, id).Status)
			row := b.row(t, id)
			require.Equal(t, "1.9", row.Payout.String())
			require.Equal(t, "1", row.Received.String())
			require.Empty(t, row.StatusDetail)
			require.Equal(t, 1, b.number(t, "SELECT count(*) FROM commissions"))
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

// The watcher stores the deposit while its answer is being given up. That transaction
// holds the row for as long as daemon and wallet take to answer.
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
	go func() {
		_, err := scan(t.Context())
		seen <- err
	}()
	pgtest.AwaitBlocked(t, b.store, tx, 1)
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

// TestSentPayoutThatPaysNothingAnyMore: a transaction of a newer copy of the database is
// mined and has paid the debt, while a transaction of this copy waits in the pool. The
// network loses that one. It is not relayed again. Operators get an alert about what they
// have accepted, and no other alert.
func TestSentPayoutThatPaysNothingAnyMore(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	keeper := b.payments.Witness
	require.NoError(t, keeper.Compare(t.Context(), "ltc"))
	row, task := b.ready(t)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	mine, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
	require.NoError(t, err)
	w := keeper.Wallets["ltc"]
	of := w.Chain.(*witnesstest.Chain)
	of.Wait(*mine.TxHash)
	e := witness.Entry{Seq: 2, TxHash: "theirs", Purpose: "trade_payout", Amount: "1.9", Fee: "0.00001", Pays: []witness.Reference{{
		TradeID: row.ID, Kind: "payout", DepositTx: "deposit of " + row.ID, DepositAddress: row.DepositAddress, Amount: "1.9", Paid: "1.9", Fee: "0.00001",
	}}}
	for _, p := range w.Places() {
		require.NoError(t, p.Raise(t.Context(), witness.Mark{Sends: 2}, &e))
	}
	of.Show(witness.Sent{TxHash: e.TxHash, Height: 500})
	require.ErrorIs(t, keeper.Compare(t.Context(), "ltc"), witness.ErrSafeMode)
	done, err := (&witness.Recoverer{Keeper: keeper, Actor: "cli:ann", Accept: []string{e.TxHash}}).Apply(t.Context(), "ltc")
	require.NoError(t, err)
	require.True(t, done.Ended)

	clear(b.ltc.relayed)
	b.ltc.mined[e.TxHash] = 2
	for range 2 {
		b.send(t, b.advance(t, row.ID))
		require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	}
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	require.Equal(t, "1.9", b.row(t, row.ID).Payout.String())
	require.Empty(t, b.ltc.relayed)
	require.Equal(t, []string{"send_unmatched"}, b.alerts(t))
}
