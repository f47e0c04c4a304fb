package activities_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

func (b *bureau) audit(t *testing.T) []string {
	t.Helper()
	rows, err := b.store.ListAudit(t.Context(), db.ListAuditParams{Before: 1 << 60, MaxRows: 100})
	require.NoError(t, err)
	var all []string
	for _, r := range rows {
		all = append(all, fmt.Sprint(r.Actor, " ", r.Action, " ", r.Subject))
	}
	return all
}

func requireNotRetried(t *testing.T, err error, text string) {
	t.Helper()
	requireRefused(t, err, refusals.TradePayment)
	require.ErrorContains(t, err, text)
}

// TestRefusedPayoutIsRelayedAgainAndNeverBuiltAgain retries a payout that the network
// refused once. The trade continues, with the same bytes.
func TestRefusedPayoutIsRelayedAgainAndNeverBuiltAgain(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	require.Zero(t, b.row(t, row.ID).Reserved.Sign())

	in := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID, Actor: "cli:ann"}
	refund := in
	refund.Refund = true
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), refund), "may still be mined")
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), in))
	}
	require.Empty(t, b.alerts(t))
	require.Equal(t, []string{fmt.Sprintf("cli:ann trade_payment.retry %s/%d", row.ID, task.TradePaymentID)}, b.audit(t))
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	require.Equal(t, b.row(t, row.ID).Payout, b.row(t, row.ID).Reserved, "the inventory is kept again")
	b.send(t, state)
	require.Equal(t, 1, b.ltc.builds)
	require.Len(t, b.ltc.relayed, 1)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), refund), "has not failed")
	require.NoError(t, b.payments.RetryTradePayment(t.Context(), in), "there is nothing to do")
	require.Len(t, b.audit(t), 1)
}

func TestPayoutThatWasNeverBuiltIsSentBackInstead(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.listed = []string{"payee"}
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	in := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID, Actor: "cli:ann", Refund: true}
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), in))
	}
	require.Len(t, b.audit(t), 1)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	require.Zero(t, b.row(t, row.ID).Reserved.Sign())
	b.send(t, state)
	b.mine(t, row.ID)
	require.Equal(t, trade.Refunded, b.advance(t, row.ID).Status)
	require.Zero(t, b.ltc.builds)
	require.Len(t, b.xmr.relayed, 1)
	require.Empty(t, b.alerts(t))
}

func TestTransactionsThatCouldPayTwiceAreNotRetried(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	other, _ := b.ready(t)
	in := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID}
	wrong := in
	wrong.TradeID = other.ID
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), wrong), "no such transaction")
	wrong = trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: 999}
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), wrong), "no such transaction")
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	b.listed = []string{"payee"}
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), in), "cannot be used")
	b.listed = nil
	b.deposit(row, "deposit of "+row.ID, "1", 1)
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), in), "not what it was")
	b.deposit(row, "deposit of "+row.ID, "1", 2)
	b.ltc.inputs = chain.InputsSpent
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), in), "spends its coins")
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	require.Empty(t, b.audit(t))
}

// TestPayoutThatCanNeverBeMinedIsBuiltAgain loses a payout that was sent. It is given up
// only once another transaction has spent its coins for many blocks. Then the payee is
// paid once, by new bytes.
func TestPayoutThatCanNeverBeMinedIsBuiltAgain(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	release := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID, Actor: "cli:ann", Release: true}
	require.NoError(t, b.payments.RetryTradePayment(t.Context(), release), "nothing was built: there is nothing to give up")
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	lost, err := b.store.GetTradePayment(t.Context(), task.TradePaymentID)
	require.NoError(t, err)
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "can still be mined")

	given, err := b.store.GetOutgoing(t.Context(), *lost.TransactionID)
	require.NoError(t, err)
	delete(b.ltc.relayed, *lost.TxHash)
	for open, why := range map[chain.InputState]string{
		chain.InputsFree: "no other transaction", chain.InputsMissing: "may come back", chain.InputsContested: "in the pool",
	} {
		b.ltc.inputs = open
		requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "can still be mined")
		requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), why)
		b.ltc.tip += 50
	}
	check := func() {
		t.Helper()
		b.ltc.relayErr = chain.ErrRefused
		require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
		require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	}
	b.ltc.inputs = chain.InputsSpent
	check()
	b.ltc.tip += 9
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "ask again in 1 blocks")
	b.ltc.inputs = chain.InputsFree
	check()
	b.ltc.inputs = chain.InputsSpent
	b.ltc.tip++
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "ask again in 10 blocks")
	b.ltc.tip += 10
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), release))
	}
	require.Equal(t, []string{fmt.Sprintf("cli:ann trade_payment.release %s/%d", row.ID, task.TradePaymentID)}, b.audit(t))
	require.Empty(t, b.alerts(t))
	var kept string
	require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT tx_hash FROM outgoing_transactions WHERE state = 'abandoned'").Scan(&kept))
	require.Equal(t, *lost.TxHash, kept)

	b.ltc.inputs = chain.InputsFree
	delete(b.ltc.coins, given.Inputs[0])
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Sending, state.Status, "a partner hears nothing twice")
	b.send(t, state)
	require.Equal(t, 2, b.ltc.builds)
	require.Len(t, b.ltc.relayed, 1)
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "on its way")
}

// TestRefusedPayoutIsReleased gives up bytes that the network never took.
func TestRefusedPayoutIsReleased(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.relayErr, b.ltc.inputs = chain.ErrRefused, chain.InputsSpent
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Equal(t, trade.Failed, b.advance(t, row.ID).Status)
	release := trades.RetryTradePayment{TradeID: row.ID, TradePaymentID: task.TradePaymentID, Actor: "cli:ann", Release: true}
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "ask again in 10 blocks")
	b.ltc.tip += 10
	require.NoError(t, b.payments.RetryTradePayment(t.Context(), release))
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	b.send(t, state)
	require.Len(t, b.ltc.relayed, 1)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	require.Empty(t, b.alerts(t))
}
