package workflows_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

const tradeID = "0123456789abcdef0123456789abcdef"

// swapBook stands for the database and the wallets: one trade with the domain's own
// rules, its deposits, and transactions whose states the test sets. The workflow under
// test sees it only through activities.
type swapBook struct {
	trade    trade.Trade
	deposits []trade.Deposit
	made     []trade.Payment
	// sendsTo is the state of a transaction after SendTradePayment.
	sendsTo trade.PaymentState
	// minedAfter counts checks until a sent transaction is confirmed.
	minedAfter int
	webhook    bool
	events     []trade.Status
	attempted  int
	tried      []int64
	checks     int
	sends      int
	// unsure is set while the database may be behind.
	unsure bool
}

func (b *swapBook) make(now time.Time) {
	b.trade = trade.Trade{
		Status: trade.AwaitingDeposit, Risk: provider.RiskPrecheck, Rate: money.MustDecimal("2"), Min: money.MustDecimal("0.05"),
		Max: money.MustDecimal("20"), DecimalsTo: 8, Confirmations: 2, ExpiresAt: now.UTC().Truncate(time.Millisecond).Add(time.Hour), Grace: 2 * time.Hour,
		AtLockedRate: money.MustDecimal("20"), Reserved: money.MustDecimal("2"),
	}
}

func (b *swapBook) advance(_ context.Context, in trades.AdvanceTrade) (trades.TradeState, error) {
	b.checks++
	o := trade.Advance(b.trade, trade.Facts{Deposits: b.deposits, Payments: b.made, Free: money.MustDecimal("100"), Unsure: b.unsure, Now: in.Now})
	b.trade = o.Trade
	for _, id := range o.Abandoned {
		b.deposits[id-1].Abandoned = true
	}
	for _, c := range o.Transitions {
		b.events = append(b.events, c.To)
	}
	for _, planned := range o.Planned {
		b.made = append(b.made, trade.Payment{Kind: planned.Kind, DepositID: planned.DepositID, State: trade.Planned})
	}
	state := b.state(o.Unbacked)
	if state.Postponed = o.Postponed; o.Postponed {
		state.RecheckAt = in.Now.Add(time.Minute)
	}
	return state, nil
}

func (b *swapBook) send(_ context.Context, in trades.TradePaymentTask) error {
	b.sends++
	b.made[in.TradePaymentID].State, b.made[in.TradePaymentID].Reason = b.sendsTo, "refused"
	return nil
}

func (b *swapBook) check(context.Context, trades.TradeTask) error {
	b.minedAfter--
	for i := range b.made {
		if b.minedAfter <= 0 && b.made[i].State == trade.Sent {
			b.made[i].State = trade.PaymentConfirmed
		}
	}
	return nil
}

func (b *swapBook) attempt(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
	event, err := strconv.ParseInt(in.ID, 10, 64)
	b.tried = append(b.tried, event)
	b.attempted = max(b.attempted, int(event)+1)
	return deliveries.Attempt{Status: webhook.Delivered}, err
}

func (b *swapBook) state(held bool) trades.TradeState {
	s := trades.TradeState{Status: b.trade.Status, Detail: b.trade.Detail, ExpiresAt: b.trade.ExpiresAt, RecheckAt: b.trade.RecheckAt(), Held: held}
	for i, t := range b.made {
		if t.State != trade.PaymentConfirmed && t.State != trade.PaymentFailed {
			s.Payments = append(s.Payments, trades.TradePayment{ID: int64(i), WalletID: "ltc", State: t.State})
		}
	}
	for i := b.attempted; b.webhook && i < len(b.events); i++ {
		s.Events = append(s.Events, int64(i))
	}
	return s
}

func swapEnvironment(t *testing.T, b *swapBook) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.RegisterActivity(&deliveries.Handler{})
	env.RegisterWorkflow(workflows.Delivery)
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(b.advance).Maybe()
	env.OnActivity("SendTradePayment", mock.Anything, mock.Anything).Return(b.send).Maybe()
	env.OnActivity("CheckTradePayments", mock.Anything, mock.Anything).Return(b.check).Maybe()
	return env
}

// notify changes the deposits at a moment and signals the trade, as the watcher would.
func (b *swapBook) notify(env *testsuite.TestWorkflowEnvironment, after time.Duration, change func()) {
	env.RegisterDelayedCallback(func() {
		change()
		env.SignalWorkflow(workflows.DepositsSignal, nil)
	}, after)
}

// arrive adds a deposit that was seen now.
func (b *swapBook) arrive(env *testsuite.TestWorkflowEnvironment, amount string, confirmations int64) {
	b.deposits = append(b.deposits, trade.Deposit{
		ID: int64(len(b.deposits) + 1), Amount: money.MustDecimal(amount), FirstSeenAt: env.Now(), Confirmations: confirmations,
	})
}

func requireEnded(t *testing.T, env *testsuite.TestWorkflowEnvironment) {
	t.Helper()
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

func TestTradeExpiresAtTheEndOfItsWindow(t *testing.T) {
	t.Parallel()
	b := &swapBook{}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{trade.Expired}, b.events)
	require.Equal(t, time.Hour, env.Now().Sub(begun).Round(time.Second))
	require.Equal(t, 2, b.checks, "nothing is polled while a deposit is waited for")
}

func TestTradeIsPaidOut(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, minedAfter: 2}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	b.notify(env, 10*time.Minute, func() { b.arrive(env, "1", 0) })
	b.notify(env, 12*time.Minute, func() { b.deposits[0].Confirmations = 1 })
	b.notify(env, 14*time.Minute, func() { b.deposits[0].Confirmations = 2 })
	b.notify(env, 16*time.Minute, func() {})
	b.notify(env, 18*time.Minute, func() {})
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{
		trade.DepositDetected, trade.Confirming, trade.Processing, trade.Sending, trade.Completed,
	}, b.events)
	require.Equal(t, 1, b.sends)
}

func TestTradeContinuesWithoutBlockSignals(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, minedAfter: 3}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	b.notify(env, time.Minute, func() { b.arrive(env, "1", 2) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, trade.Completed, b.trade.Status)
}

// TestTradeThatCannotAnswerADepositStaysAndLooksAgain: a database that may be behind
// postpones the answer. No signal comes when that is over.
func TestTradeThatCannotAnswerADepositStaysAndLooksAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after time.Duration
		end   trade.Status
	}{
		"in time": {10 * time.Minute, trade.Completed},
		"late":    {59*time.Minute + 50*time.Second, trade.Refunded},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &swapBook{sendsTo: trade.Sent}
			env := swapEnvironment(t, b)
			b.make(env.Now())
			b.notify(env, c.after, func() {
				b.unsure = true
				b.arrive(env, "1", 2)
				if c.end == trade.Refunded { // seen first when the window had passed
					b.deposits[0].FirstSeenAt = env.Now().Add(time.Minute)
				}
			})
			var settled time.Time
			sure := c.after + 5*time.Minute + time.Second
			env.RegisterDelayedCallback(func() { b.unsure = false }, sure)
			env.RegisterDelayedCallback(func() { settled = env.Now(); require.NotEmpty(t, b.made) }, sure+time.Minute)
			env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
			requireEnded(t, env)
			require.Equal(t, c.end, b.trade.Status)
			require.False(t, settled.IsZero(), "the run was there all the time")
		})
	}
}

func TestTradeOutsideOfItsLimitsIsSentBack(t *testing.T) {
	t.Parallel()
	for name, amount := range map[string]string{"below": "0.01", "above": "21"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &swapBook{sendsTo: trade.Sent}
			env := swapEnvironment(t, b)
			b.make(env.Now())
			b.notify(env, time.Minute, func() { b.arrive(env, amount, 2) })
			env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
			requireEnded(t, env)
			require.Equal(t, []trade.Status{trade.DepositDetected, trade.Confirming, trade.Processing, trade.Refunded}, b.events)
			require.Equal(t, trade.Refund, b.made[0].Kind)
		})
	}
}

func TestPaymentThatCannotBeMadeFailsTheTrade(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.PaymentFailed}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	b.notify(env, time.Minute, func() { b.arrive(env, "1", 2) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, trade.Failed, b.trade.Status)
	require.Equal(t, "refused", b.trade.Detail)
}

func TestFaultsOfAWalletAreRetriedUntilItIsBack(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent}
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(b.advance)
	env.OnActivity("CheckTradePayments", mock.Anything, mock.Anything).Return(b.check)
	env.OnActivity("SendTradePayment", mock.Anything, mock.Anything).Return(errors.New("money is locked")).Times(20)
	env.OnActivity("SendTradePayment", mock.Anything, mock.Anything).Return(b.send).Once()
	b.make(env.Now())
	b.notify(env, time.Minute, func() { b.arrive(env, "1", 2) })
	// A second deposit is answered while the payout waits.
	b.notify(env, 2*time.Minute, func() { b.arrive(env, "3", 0) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, trade.Completed, b.trade.Status)
}

func TestDepositThatWasDroppedIsNotPaidFor(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, trade: trade.Trade{
		Status: trade.Processing, Confirmations: 2, Rate: money.MustDecimal("2"), Counted: 1, Payout: money.MustDecimal("2"),
	}}
	b.made = []trade.Payment{{Kind: trade.Payout, DepositID: 1, State: trade.Planned}}
	env := swapEnvironment(t, b)
	b.arrive(env, "1", 1)
	b.notify(env, 50*time.Minute, func() {
		require.Zero(t, b.sends)
		b.deposits[0].Confirmations = 2
	})
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, trade.Completed, b.trade.Status)
}

func TestLateDepositIsAShortRunThatSendsItBack(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, trade: trade.Trade{Status: trade.Expired, Confirmations: 2, Rate: money.MustDecimal("2")}}
	env := swapEnvironment(t, b)
	b.arrive(env, "1", 2)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{trade.Refunded}, b.events)
}

func TestSignalForATradeThatDoesNotExistEndsQuietly(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(trades.TradeState{},
		temporal.NewNonRetryableApplicationError("gone", refusals.Missing, nil)).Once()
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
}

func TestEventsAreDeliveredInOrder(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, webhook: true}
	env := swapEnvironment(t, b)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(b.attempt)
	b.make(env.Now())
	b.notify(env, time.Minute, func() { b.arrive(env, "1", 2) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []int64{0, 1, 2, 3, 4}, b.tried, "each once, in the order of the transitions")
}

func TestEventInRetryDelaysNoOtherEventAndNoTrade(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent, webhook: true}
	env := swapEnvironment(t, b)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(ctx context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			outcome, err := b.attempt(ctx, in)
			if in.ID == "0" {
				outcome = deliveries.Attempt{Status: webhook.Pending, Next: env.Now().Add(10 * time.Second)}
			}
			return outcome, err
		})
	env.OnWorkflow(workflows.Delivery, mock.Anything, mock.MatchedBy(func(in workflows.DeliveryInput) bool {
		return in.Receiver == webhook.Partner && in.ID == "0"
	})).Return(nil).Once()
	b.make(env.Now())
	b.notify(env, time.Minute, func() { b.arrive(env, "1", 2) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []int64{0, 1, 2, 3, 4}, b.tried)
	env.AssertExpectations(t)
}

func TestEventIsTriedUntilItIsADeadLetter(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	begun, attempts := env.Now(), 1
	env.OnActivity("FindDelivery", mock.Anything, deliveries.FindDelivery{Receiver: webhook.Partner, ID: "7"}).
		Return(deliveries.State{Pending: true, Next: begun.Add(10 * time.Second), Attempts: attempts}, nil).Once()
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			attempts++
			require.Equal(t, attempts, in.Attempt)
			next, again := webhook.PolicyOfPartners().Next(begun, env.Now(), in.Attempt)
			if !again {
				return deliveries.Attempt{Status: webhook.Failed}, nil
			}
			return deliveries.Attempt{Status: webhook.Pending, Next: next}, nil
		})
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToPartner(7))
	requireEnded(t, env)
	took := env.Now().Sub(begun)
	require.Greater(t, took, 23*time.Hour)
	require.LessOrEqual(t, took, 24*time.Hour)
}

// TestOperatorRetriesAFailedTransaction asks the run that an operator's command
// starts for a trade that has ended.
func TestOperatorRetriesAFailedTransaction(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{false, true} {
		b := &swapBook{sendsTo: trade.Sent, minedAfter: 1}
		env := swapEnvironment(t, b)
		b.trade = trade.Trade{
			Status: trade.Failed, Rate: money.MustDecimal("2"), Max: money.MustDecimal("9"), Counted: 1, Payout: money.MustDecimal("2"),
		}
		b.deposits = []trade.Deposit{{ID: 1, Amount: money.MustDecimal("1"), Confirmations: 9}}
		b.made = []trade.Payment{{Kind: trade.Payout, DepositID: 1, State: trade.PaymentFailed}}
		asked := 0
		env.OnActivity("RetryTradePayment", mock.Anything, mock.Anything).Return(func(_ context.Context, in trades.RetryTradePayment) error {
			asked++
			require.Equal(t, tradeID, in.TradeID, "the run's own trade, whatever is asked")
			if refused {
				return temporal.NewNonRetryableApplicationError("another transaction spends its coins", refusals.TradePayment, nil)
			}
			b.made[0].State = trade.Built
			return nil
		})
		var answer error
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(workflows.RetryUpdate, "1", &testsuite.TestUpdateCallback{
				OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
				OnComplete: func(_ any, err error) { answer = err },
			}, workflows.RetryTradePayment{TradeID: "another", TradePaymentID: 0})
		}, 0)
		env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
		requireEnded(t, env)
		require.Equal(t, 1, asked)
		if refused {
			require.ErrorContains(t, answer, "spends its coins")
			require.Equal(t, trade.Failed, b.trade.Status)
			continue
		}
		require.NoError(t, answer)
		require.Equal(t, []trade.Status{trade.Processing, trade.Sending, trade.Completed}, b.events)
		require.Equal(t, 1, b.sends)
	}
}

// TestOperatorEndsATradeThatWaits asks a run that waits for blocks alone: it
// checks at once, and ends.
func TestOperatorEndsATradeThatWaits(t *testing.T) {
	t.Parallel()
	b := &swapBook{sendsTo: trade.Sent}
	env := swapEnvironment(t, b)
	b.trade = trade.Trade{Status: trade.Confirming, Confirmations: 2, Rate: money.MustDecimal("2"), Max: money.MustDecimal("9")}
	b.deposits = []trade.Deposit{{ID: 1, Amount: money.MustDecimal("1"), Confirmations: 9, Locked: true}}
	b.trade.ExpiresAt = env.Now().Add(-time.Hour)
	b.deposits[0].FirstSeenAt = b.trade.ExpiresAt.Add(-time.Minute)
	env.OnActivity("EndTrade", mock.Anything, mock.Anything).Return(func(_ context.Context, in trades.EndTrade) error {
		require.Equal(t, tradeID, in.TradeID, "the run's own trade, whatever is asked")
		b.deposits[0].Abandoned = true
		return nil
	}).Once()
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.EndTradeUpdate, "1", t, workflows.EndTrade{TradeID: "another"})
	}, time.Hour)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{trade.AwaitingDeposit, trade.Expired}, b.events)
}
