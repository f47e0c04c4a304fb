package activities_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	sdkconverter "go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/trade"
)

// returns is a trade of its own payer whose deposit is too small to be swapped,
// and its refund.
func (b *bureau) returns(t *testing.T, payer, amount string) (db.Trade, trades.TradePaymentTask) {
	t.Helper()
	in := b.request("1")
	in.Refund, in.ClientCode = payer, []byte(payer)
	row := b.create(t, in)
	b.deposit(row, "deposit of "+row.ID, amount, 2)
	state := b.advance(t, row.ID)
	require.Len(t, state.Payments, 1)
	return row, trades.TradePaymentTask{TradePaymentID: state.Payments[0].ID}
}

func (b *bureau) sendNow(t *testing.T, task trades.TradePaymentTask) {
	t.Helper()
	for range 2 {
		require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	}
}

// settled is a trade that was paid out.
func (b *bureau) settled(t *testing.T) db.Trade {
	t.Helper()
	row, task := b.ready(t)
	b.sendNow(t, task)
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	return row
}

// reconciled requires that every payment was made once: each deposit is in one
// transaction, and the amounts and fees of payments add up to those of their
// transactions.
func (b *bureau) reconciled(t *testing.T) {
	t.Helper()
	require.Zero(t, b.number(t, `SELECT count(*) FROM outgoing_transactions x WHERE x.state NOT IN ('building', 'abandoned')
		AND ROW(x.paid, x.fee) IS DISTINCT FROM (SELECT ROW(sum(p.paid), sum(p.fee)) FROM trade_payments p WHERE p.transaction_id = x.id)`))
	for hash := range b.xmr.relayed {
		require.Equal(t, 1, b.number(t, "SELECT count(*) FROM outgoing_transactions WHERE tx_hash = $1", hash))
	}
}

// TestManyDepositsOnOneTrade sends back 300 deposits of one trade: 30 in an hour, in one
// transaction, out of their own coins. The workflow gets one page of them.
func TestManyDepositsOnOneTrade(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.xmr.coins["large"], b.xmr.coins["large too"] = 1e15, 1e15
	row := b.settled(t)
	const many = 300
	for i := range many {
		b.deposit(row, fmt.Sprint("spam ", i), "0.01", 2)
	}
	scan, err := b.watcher.Scanner("xmr")
	require.NoError(t, err)
	for range many/100 + 1 { // pages
		_, err := scan(t.Context())
		require.NoError(t, err)
	}
	state := b.advance(t, row.ID)
	require.Equal(t, many, state.Open)
	require.LessOrEqual(t, len(state.Payments), 16)
	payload, err := sdkconverter.GetDefaultDataConverter().ToPayload(state)
	require.NoError(t, err)
	require.Less(t, len(payload.GetData()), 2000)

	for hour := range 2 {
		state = b.advance(t, row.ID)
		b.send(t, state)
		require.Len(t, b.xmr.relayed, hour+1, "they go together")
		built := b.xmr.asked[hour]
		require.Equal(t, "payer", built.To)
		require.Empty(t, built.More)
		require.Len(t, built.Prefer, 30)
		require.Contains(t, built.Prefer[0], "spam")
		require.EqualValues(t, 30*10_000_000_000, built.Amount)
		state = b.advance(t, row.ID)
		require.Equal(t, many-30*(hour+1), state.Waiting)
		for _, open := range state.Payments {
			require.Equal(t, trade.Sent, open.State)
		}
		var late int64
		require.NoError(t, b.store.Pool().QueryRow(t.Context(), "SELECT max(id) FROM trade_payments").Scan(&late))
		b.sendNow(t, trades.TradePaymentTask{TradePaymentID: late})
		require.Len(t, b.xmr.relayed, hour+1, "the others wait for their turn")
		b.now = b.now.Add(time.Hour - time.Millisecond)
		require.Equal(t, many-30*(hour+1), b.advance(t, row.ID).Waiting)
		require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t), "told once, not 270 times")
		b.now = b.now.Add(2 * time.Millisecond)
		b.mine(t, row.ID)
	}
	b.reconciled(t)
	require.Equal(t, 60, b.number(t, "SELECT count(*) FROM trade_payments WHERE paid + fee = 0.01 AND paid > 0"))
}

func TestPayoutsComeBeforeRefunds(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.returns(t, "payer", "0.01")
	b.now = b.now.Add(time.Minute)
	_, payout := b.ready(t)
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE trade_payments SET wallet_id = 'xmr' WHERE kind = 'payout'")
	require.NoError(t, err)
	b.sendNow(t, task)
	require.Empty(t, b.xmr.relayed)
	state := b.advance(t, row.ID)
	require.Empty(t, state.Payments)
	require.Equal(t, 1, state.Waiting)
	b.now = b.now.Add(10 * time.Minute)
	require.Zero(t, b.advance(t, row.ID).Waiting, "a payout that waits for long is held by something else")
	b.now = b.now.Add(-time.Minute)
	require.Equal(t, 1, b.advance(t, row.ID).Waiting)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), payout))
	b.sendNow(t, task)
	require.Len(t, b.xmr.relayed, 2)
	b.reconciled(t)
}

// TestRefundsOfSeveralTradesGoTogether pays as many as a transaction has room for. A
// refund that cannot be paid now does not delay the rest.
func TestRefundsOfSeveralTradesGoTogether(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	first, task := b.returns(t, "ann", "0.01")
	second, _ := b.returns(t, "bob", "0.02")
	same, _ := b.returns(t, "ann", "0.03")
	unbacked, _ := b.returns(t, "cid", "0.04")
	sanctioned, _ := b.returns(t, "dan", "0.04")
	several, _ := b.returns(t, "eve", "0.04")
	b.deposit(several, "one more", "0.04", 2)
	b.advance(t, several.ID)
	third, _ := b.returns(t, "fay", "0.045")
	b.deposit(unbacked, "deposit of "+unbacked.ID, "0.04", 1)
	b.listed = []string{"dan"}
	b.sendNow(t, task)
	require.Len(t, b.xmr.relayed, 1)
	asked := b.xmr.asked[0]
	require.Equal(t, "ann", asked.To)
	require.Equal(t, []chain.Destination{{Address: "bob", Amount: 20_000_000_000}, {Address: "fay", Amount: 45_000_000_000}}, asked.More)
	require.Equal(t, []string{"deposit of " + first.ID, "deposit of " + second.ID, "deposit of " + third.ID}, asked.Prefer)
	b.reconciled(t)
	require.Equal(t, 3, b.number(t, "SELECT count(*) FROM trade_payments WHERE paid = amount - fee AND fee BETWEEN 0.000000000333 AND 0.000000000334"))
	b.signals = nil
	b.look(t)
	require.Subset(t, b.signals, []string{second.ID, third.ID}, "their workflows asked for nothing, and are told")
	b.mine(t, first.ID)
	for _, row := range []db.Trade{first, second, third} {
		require.NoError(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
		require.Equal(t, trade.Refunded, b.advance(t, row.ID).Status)
	}
	for _, row := range []db.Trade{same, sanctioned, several} {
		require.Equal(t, trade.Processing, b.advance(t, row.ID).Status)
	}
}

// TestDustIsKeptUntilABatchTakesIt alerts operators to refunds that cost more than they
// bring, and sends them with other refunds, or when an operator retries them.
func TestDustIsKeptUntilABatchTakesIt(t *testing.T) {
	t.Parallel()
	b := bureauOf(t) // an ordinary payment costs 0.000000001
	row, task := b.returns(t, "dot", "0.000000001")
	tiny, other := b.returns(t, "eli", "0.0000000005")
	b.sendNow(t, task)
	b.sendNow(t, other)
	require.Zero(t, b.xmr.builds)
	state := b.advance(t, row.ID)
	require.Equal(t, trade.Failed, state.Status)
	require.Contains(t, state.Detail, "is kept")
	b.advance(t, tiny.ID)
	require.Equal(t, []string{alert.TradeFailed, alert.TradeFailed, alert.TradePaymentFailed, alert.TradePaymentFailed}, b.alerts(t))

	_, lead := b.returns(t, "ann", "0.01")
	b.sendNow(t, lead)
	require.Len(t, b.xmr.relayed, 1)
	require.Equal(t, []chain.Destination{{Address: "dot", Amount: 1000}}, b.xmr.asked[0].More)
	require.Equal(t, trade.Processing, b.advance(t, row.ID).Status, "it is on its way after all")
	b.mine(t, row.ID)
	require.Equal(t, trade.Refunded, b.advance(t, row.ID).Status)
	require.Equal(t, []string{alert.TradeFailed, alert.TradePaymentFailed}, b.alerts(t), "of the one that is kept")
	b.reconciled(t)

	b.xmr.fee = 100
	require.NoError(t, b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{TradeID: tiny.ID, TradePaymentID: other.TradePaymentID, Actor: "cli:ann"}))
	b.sendNow(t, other)
	require.Len(t, b.xmr.relayed, 2)
	require.Equal(t, trade.Processing, b.advance(t, tiny.ID).Status)
	require.Empty(t, b.alerts(t))
}

// TestDustOfOneTradeGoesTogether sends back dust that is only worth its fee as a whole.
func TestDustOfOneTradeGoesTogether(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.settled(t)
	for i := range 4 {
		b.deposit(row, fmt.Sprint("dust ", i), "0.0000000004", 2) // together 1600, for a cost of 1750
	}
	state := b.advance(t, row.ID)
	b.send(t, state)
	require.Empty(t, b.xmr.relayed)
	require.Equal(t, []string{alert.TradePaymentFailed}, b.alerts(t), "told once for the trade")
	b.deposit(row, "dust 4", "0.0000000009", 2) // together 2500, for 2000
	b.send(t, b.advance(t, row.ID))
	require.Len(t, b.xmr.relayed, 1)
	require.EqualValues(t, 2500, b.xmr.asked[0].Amount)
	require.Empty(t, b.alerts(t))
	b.reconciled(t)
}

// TestBatchSurvivesADeathOnEveryLine lets the worker die at each place while it
// sends three refunds together: each is paid once.
func TestBatchSurvivesADeathOnEveryLine(t *testing.T) {
	t.Parallel()
	died := errors.New("died")
	for name, dies := range map[string]func(*testing.T, *bureau, []trades.TradePaymentTask){
		"nowhere": func(*testing.T, *bureau, []trades.TradePaymentTask) {},
		"while building": func(_ *testing.T, b *bureau, _ []trades.TradePaymentTask) {
			b.xmr.buildErr = chain.ErrUnavailable
		},
		"money locked":     func(_ *testing.T, b *bureau, _ []trades.TradePaymentTask) { b.xmr.buildErr = chain.ErrLocked },
		"before the relay": func(_ *testing.T, b *bureau, _ []trades.TradePaymentTask) { b.xmr.relayErr = died },
		"after the relay, before heard": func(_ *testing.T, b *bureau, _ []trades.TradePaymentTask) {
			b.xmr.relayErr, b.xmr.lost = died, true
		},
		"another overtakes": func(t *testing.T, b *bureau, tasks []trades.TradePaymentTask) {
			t.Helper()
			b.xmr.meanwhile = func() { _ = b.payments.SendTradePayment(t.Context(), tasks[0]) }
		},
		"a member's own turn comes meanwhile": func(t *testing.T, b *bureau, tasks []trades.TradePaymentTask) {
			t.Helper()
			b.xmr.meanwhile = func() {
				require.ErrorContains(t, b.payments.SendTradePayment(t.Context(), tasks[1]), "is being built")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			var tasks []trades.TradePaymentTask
			for i := range 3 {
				_, task := b.returns(t, fmt.Sprint("payer ", i), "0.01")
				tasks = append(tasks, task)
			}
			dies(t, b, tasks)
			for range 3 {
				for _, task := range tasks {
					_ = b.payments.SendTradePayment(t.Context(), task)
				}
			}
			require.Len(t, b.xmr.relayed, 1)
			b.reconciled(t)
			require.Equal(t, 3, b.number(t, "SELECT count(*) FROM trade_payment_states WHERE state = 'sent' AND paid > 0"))
		})
	}
}

// TestBatchThatCannotBeMadeIsTakenApart builds the lead alone when the wallet
// refuses the whole.
func TestBatchThatCannotBeMadeIsTakenApart(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{chain.ErrAddress, chain.ErrTooSmall, chain.ErrTooLarge} {
		b := bureauOf(t)
		_, lead := b.returns(t, "ann", "0.01")
		b.returns(t, "bob", "0.01")
		b.xmr.buildErr = cause
		b.sendNow(t, lead)
		require.Len(t, b.xmr.asked, 1)
		require.Empty(t, b.xmr.asked[0].More)
		require.Equal(t, 1, b.number(t, "SELECT count(*) FROM trade_payment_states WHERE state = 'planned'"))
	}
}

// TestAbandonedBatchIsOwedAgain loses a batch for good: all of it is planned
// again and paid once, by new bytes.
func TestAbandonedBatchIsOwedAgain(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	first, lead := b.returns(t, "ann", "0.01")
	second, member := b.returns(t, "bob", "0.01")
	b.sendNow(t, lead)
	for hash := range b.xmr.relayed {
		delete(b.xmr.relayed, hash)
	}
	b.xmr.inputs = chain.InputsSpent
	release := trades.RetryTradePayment{TradeID: second.ID, TradePaymentID: member.TradePaymentID, Actor: "cli:ann", Release: true}
	requireNotRetried(t, b.payments.RetryTradePayment(t.Context(), release), "ask again in 10 blocks")
	b.xmr.tip += 10
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), release))
	}
	require.Equal(t, 2, b.number(t, "SELECT count(*) FROM trade_payment_states WHERE state = 'planned' AND paid IS NULL"))
	require.Equal(t, 1, b.number(t, "SELECT count(*) FROM outgoing_transactions WHERE state = 'abandoned' AND trade_ids = ARRAY[$1, $2]", first.ID, second.ID))
	b.xmr.inputs = chain.InputsFree
	b.sendNow(t, member)
	b.sendNow(t, lead)
	require.Len(t, b.xmr.relayed, 1)
	b.reconciled(t)
}

// TestRetriedBatchClosesTheAlertsOfAllItPays: it was refused, so both trades failed. An
// operator names one of them. An alert with another cause stays open.
func TestRetriedBatchClosesTheAlertsOfAllItPays(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	first, lead := b.returns(t, "ann", "0.01")
	second, _ := b.returns(t, "bob", "0.01")
	b.xmr.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.SendTradePayment(t.Context(), lead))
	for _, id := range []string{first.ID, second.ID} {
		require.Equal(t, trade.Failed, b.advance(t, id).Status)
	}
	failed, refused := alert.TradeFailed, alert.TradePaymentFailed
	require.Equal(t, []string{failed, failed, refused, refused}, b.alerts(t))
	third, payout := b.ready(t)
	b.ltc.relayErr = chain.ErrRefused
	require.NoError(t, b.payments.SendTradePayment(t.Context(), payout))
	require.Equal(t, trade.Failed, b.advance(t, third.ID).Status)
	b.deposit(third, "further", "0.01", 2)
	further := b.advance(t, third.ID).Payments[0].ID
	_, err := b.store.FailTradePayment(t.Context(), db.FailTradePaymentParams{ID: further, Reason: "the transaction cannot be made"})
	require.NoError(t, err)

	b.signals = nil
	for range 2 {
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{TradeID: first.ID, TradePaymentID: lead.TradePaymentID, Actor: "cli:ann"}))
		require.NoError(t, b.payments.RetryTradePayment(t.Context(), trades.RetryTradePayment{TradeID: third.ID, TradePaymentID: further, Actor: "cli:ann"}))
	}
	require.Equal(t, []string{failed, refused}, b.alerts(t), "those of the payout that was refused")
	b.look(t)
	require.Equal(t, []string{second.ID}, b.signals, "the trade that nobody named is told")
	for _, id := range []string{first.ID, second.ID} {
		require.Equal(t, trade.Processing, b.advance(t, id).Status)
	}
	b.sendNow(t, lead)
	require.Len(t, b.xmr.relayed, 1)
	b.reconciled(t)
}

// TestDustOutputsDoNotFailAPayout: the payout waits for a consolidation, and an alert is
// open.
func TestDustOutputsDoNotFailAPayout(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.buildErr = chain.ErrTooLarge
	require.ErrorIs(t, b.payments.SendTradePayment(t.Context(), task), chain.ErrTooLarge)
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.sendNow(t, task)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	require.Empty(t, b.alerts(t))
	require.Equal(t, money.MustDecimal("1.95999"), b.row(t, row.ID).Payout)
}

// TestOneAddressInTwoSpellingsDelaysNoOtherRefund has an attacker request two refunds to
// one address, written in two ways, which no transaction can pay twice. The other
// customers' refunds are made all the same, and both of the attacker's in the end.
func TestOneAddressInTwoSpellingsDelaysNoOtherRefund(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	_, first := b.returns(t, "ltc1attacker", "0.02")
	_, second := b.returns(t, "LTC1ATTACKER", "0.02")
	_, victim := b.returns(t, "ltc1victim", "0.02")
	for _, task := range []trades.TradePaymentTask{victim, first, second} {
		b.sendNow(t, task)
	}
	require.Zero(t, b.number(t, "SELECT count(*) FROM trade_payment_states WHERE state <> 'sent'"))
	b.reconciled(t)
}

// brokenDeposits fails to read one transaction.
type brokenDeposits struct {
	*fakeWallet

	broken string
}

func (c *brokenDeposits) Deposit(ctx context.Context, txHash, address string) (chain.Deposit, error) {
	if txHash == c.broken {
		return chain.Deposit{}, chain.ErrUnavailable
	}
	return c.fakeWallet.Deposit(ctx, txHash, address)
}

// TestARefundDoesNotFailWithAnother has the daemon fail for one of three deposits, which
// go back together, of several trades and of one: the other two do.
func TestARefundDoesNotFailWithAnother(t *testing.T) {
	t.Parallel()
	t.Run("of several trades", func(t *testing.T) {
		t.Parallel()
		b := bureauOf(t)
		_, task := b.returns(t, "honest", "0.04")
		b.returns(t, "another", "0.04")
		bad, _ := b.returns(t, "broken", "0.04")
		b.payments.Wallets["xmr"] = &brokenDeposits{b.xmr, "deposit of " + bad.ID}
		b.sendNow(t, task)
		require.Len(t, b.xmr.asked, 1)
		require.Len(t, b.xmr.asked[0].Destinations(), 2)
	})
	t.Run("of one trade", func(t *testing.T) {
		t.Parallel()
		b := bureauOf(t)
		row, task := b.returns(t, "honest", "0.04")
		b.deposit(row, "second", "0.04", 2)
		b.deposit(row, "broken", "0.04", 2)
		require.Len(t, b.advance(t, row.ID).Payments, 3)
		b.payments.Wallets["xmr"] = &brokenDeposits{b.xmr, "broken"}
		b.sendNow(t, task)
		require.Len(t, b.xmr.asked, 1)
		require.Equal(t, []string{"deposit of " + row.ID, "second"}, b.xmr.asked[0].Prefer)
	})
}
