package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// end ends a trade twice, as Temporal does if it did not receive the answer.
func (b *bureau) end(t *testing.T, id string) {
	t.Helper()
	for range 2 {
		require.NoError(t, b.payments.EndTrade(t.Context(), trades.EndTrade{TradeID: id, Actor: "cli:ann"}))
	}
	require.Equal(t, []string{"cli:ann trade.end " + id}, b.audit(t))
}

func (b *bureau) requireNotEnded(t *testing.T, id string) {
	t.Helper()
	err := b.payments.EndTrade(t.Context(), trades.EndTrade{TradeID: id, Actor: "cli:ann"})
	requireRefused(t, err, refusals.TradePayment)
}

// TestOperatorEndsTheWaitForALockedDeposit locks a deposit for years: the trade
// ends, keeps nothing, and the deposit is sent back when that is over.
func TestOperatorEndsTheWaitForALockedDeposit(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.requireNotEnded(t, row.ID)
	b.requireNotEnded(t, "unknown")
	d := b.deposit(row, "deposit", "1", 1)
	b.advance(t, row.ID)
	b.requireNotEnded(t, row.ID)
	d.Confirmations, d.Locked = 2, true
	b.xmr.show(d)
	b.now = b.now.Add(4 * time.Hour)
	require.Equal(t, trade.Confirming, b.advance(t, row.ID).Status)
	require.Positive(t, b.row(t, row.ID).Reserved.Sign())

	b.end(t, row.ID)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Expired, state.Status)
	require.Empty(t, state.Payments)
	require.Zero(t, b.row(t, row.ID).Reserved.Sign())

	b.signals = nil
	b.now = b.now.AddDate(2, 0, 0)
	d.Confirmations, d.Locked = 50, false
	b.xmr.show(d)
	state = b.advance(t, row.ID)
	require.Contains(t, b.signals, row.ID)
	b.send(t, state)
	b.mine(t, row.ID)
	require.Equal(t, trade.Refunded, b.advance(t, row.ID).Status)
	require.Len(t, b.xmr.relayed, 1)
	require.Zero(t, b.ltc.builds)
}

// TestOperatorEndsARefundWhoseDepositIsMissing lets deposits vanish after they were
// settled: nothing is ended that could still be sent, and nothing is sent after
// the end.
func TestOperatorEndsARefundWhoseDepositIsMissing(t *testing.T) {
	t.Parallel()
	for _, amount := range []string{"1", "0.01"} {
		b := bureauOf(t)
		row := b.create(t, b.request("1"))
		d := b.deposit(row, "deposit", amount, 2)
		state := b.advance(t, row.ID)
		require.Len(t, state.Payments, 1)
		b.requireNotEnded(t, row.ID)
		shallow := d
		shallow.Confirmations = 1
		b.xmr.show(shallow)
		b.requireNotEnded(t, row.ID)
		d.Missing = true
		b.xmr.show(d)
		require.True(t, b.advance(t, row.ID).Held)
		require.Error(t, b.payments.SendTradePayment(t.Context(), trades.TradePaymentTask{TradePaymentID: state.Payments[0].ID}))

		b.end(t, row.ID)
		ended := b.advance(t, row.ID)
		require.Equal(t, trade.Failed, ended.Status)
		require.Empty(t, ended.Payments, "nothing is open: the workflow ends")
		require.Contains(t, ended.Detail, "left the chain")
		require.Zero(t, b.row(t, row.ID).Reserved.Sign())
		b.send(t, state)
		require.Zero(t, b.ltc.builds+b.xmr.builds)

		// It comes back after all: an operator may have it answered.
		b.xmr.show(chain.Deposit{TxHash: d.TxHash, Address: d.Address, Amount: d.Amount, Confirmations: 3})
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: state.Payments[0].ID, Actor: "cli:ann"}))
		b.send(t, b.advance(t, row.ID))
		require.Equal(t, 1, b.ltc.builds+b.xmr.builds)
		require.Equal(t, amount == "1", len(b.ltc.relayed) == 1)
	}
}
