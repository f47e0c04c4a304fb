package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// TestTradeChecksWithoutSignals is of a Temporal that came back older than the
// database: the run waits for a deposit whose signals are gone.
func TestTradeChecksWithoutSignals(t *testing.T) {
	t.Parallel()
	for _, status := range []trade.Status{trade.DepositDetected, trade.Confirming} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			b := &swapBook{sendsTo: trade.Sent, minedAfter: 1}
			env := swapEnvironment(t, b)
			b.trade = trade.Trade{
				Status: status, Confirmations: 2, Rate: money.MustDecimal("2"), Max: money.MustDecimal("9"), DecimalsTo: 8,
				AtLockedRate: money.MustDecimal("9"), ExpiresAt: env.Now().Add(time.Hour), Grace: 2 * time.Hour,
			}
			b.arrive(env, "1", 0)
			if status == trade.Confirming {
				b.deposits[0].Confirmations, b.deposits[0].MinedAt = 1, env.Now()
			}
			env.RegisterDelayedCallback(func() {
				b.deposits[0].Confirmations, b.deposits[0].MinedAt = 50, env.Now()
			}, time.Minute)
			env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
			requireEnded(t, env)
			require.Equal(t, trade.Completed, b.trade.Status)
			require.LessOrEqual(t, b.checks, 6, "it looks seldom")
		})
	}
}

// TestTradeEndsTheRateOfADepositThatIsNotMined shows a deposit in the pool and
// nothing ever after.
func TestTradeEndsTheRateOfADepositThatIsNotMined(t *testing.T) {
	t.Parallel()
	b := &swapBook{}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	begun := env.Now()
	b.notify(env, 50*time.Minute, func() { b.arrive(env, "1", 0) })
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{trade.DepositDetected, trade.AwaitingDeposit, trade.Expired}, b.events)
	require.Equal(t, 3*time.Hour, env.Now().Sub(begun).Round(time.Second), "the window and the grace")
}

// TestChargeChecksASeenPaymentAgain loses every signal but the first.
func TestChargeChecksASeenPaymentAgain(t *testing.T) {
	t.Parallel()
	l := &ledger{rules: charge.Rules{ConfirmationWindow: 2 * time.Hour}, height: 100}
	env := chargeEnvironment(t, l)
	l.makeCharge(env)
	begun := env.Now()
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 0)
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 10*time.Minute)
	env.RegisterDelayedCallback(func() { l.pay(begun.Add(10*time.Minute), 101); l.height = 150 }, 30*time.Minute)
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, charge.Confirmed, l.charge.Status)
	require.Less(t, env.Now().Sub(begun), 45*time.Minute, "long before its timeout")
	require.LessOrEqual(t, l.checks, 5, "it looks seldom")
}

// lostUpdate is a run that was started with an update which never came.
type lostUpdate struct {
	env      func(t *testing.T) *testsuite.TestWorkflowEnvironment
	workflow any
	input    any
}

func lostUpdates() map[string]lostUpdate {
	gone := refusedAs(refusals.Missing)
	return map[string]lostUpdate{
		"trade": {func(*testing.T) *testsuite.TestWorkflowEnvironment {
			env := environment()
			env.RegisterActivity(&trades.Handler{})
			env.RegisterActivity(&trades.Payments{})
			env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(trades.TradeState{}, gone).Maybe()
			return env
		}, workflows.Trade, workflows.TradeInput{TradeID: tradeID}},
		"payout": {func(t *testing.T) *testsuite.TestWorkflowEnvironment {
			t.Helper()
			env := payoutEnvironment(t)
			env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{}, nil).Maybe()
			return env
		}, workflows.Payout, payoutInput},
		"swap": {func(*testing.T) *testsuite.TestWorkflowEnvironment {
			env := environment()
			env.RegisterActivity(&payouts.Swaps{})
			env.OnActivity("FindSwap", mock.Anything, mock.Anything).Return(payouts.SwapState{}, gone).Maybe()
			return env
		}, workflows.Swap, workflows.SwapInput{SwapID: swapID}},
	}
}

// TestRunWhoseUpdateWasLostEnds waits a minute for the update, and leaves
// nothing behind that waits for ever.
func TestRunWhoseUpdateWasLostEnds(t *testing.T) {
	t.Parallel()
	for name, c := range lostUpdates() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := c.env(t)
			begun := env.Now()
			env.RegisterDelayedCallback(env.CancelWorkflow, 30*24*time.Hour)
			env.ExecuteWorkflow(c.workflow, c.input)
			requireEnded(t, env)
			require.Equal(t, workflows.Unasked, env.Now().Sub(begun).Round(time.Second))
		})
	}
}

// TestRunThatFindsWhatItsLostUpdateMadeContinuesIt loses the answer of a creation
// together with the update.
func TestRunThatFindsWhatItsLostUpdateMadeContinuesIt(t *testing.T) {
	t.Parallel()
	b := &swapBook{}
	env := swapEnvironment(t, b)
	b.make(env.Now())
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.Equal(t, []trade.Status{trade.Expired}, b.events)
}

// TestUpdateThatComesWhileTheRunGivesUpIsHandled lets the order come while the run looks
// for a trade that a lost one may have made. The trade that it makes has its
// workflow.
func TestUpdateThatComesWhileTheRunGivesUpIsHandled(t *testing.T) {
	t.Parallel()
	b, came := &swapBook{}, make(chan struct{})
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("PlaceOrder", mock.Anything, mock.Anything).Return(func(_ context.Context, in trades.PlaceOrder) error {
		b.make(in.Now)
		return nil
	})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.AdvanceTrade) (trades.TradeState, error) {
		<-came
		return trades.TradeState{}, refusedAs(refusals.Missing)
	}).Once()
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(b.advance)
	var outcomes []error
	asked := false
	env.SetOnLocalActivityStartedListener(func(info *activity.Info, _ context.Context, _ []any) {
		if info.ActivityType.Name == "AdvanceTrade" && !asked {
			asked = true
			callback := answered(t, &outcomes)
			callback.OnAccept = func() { close(came) }
			env.UpdateWorkflow(workflows.PlaceOrderUpdate, "1", callback, workflows.PlaceOrder{})
		}
	})
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.Equal(t, []error{nil}, outcomes)
	require.Equal(t, []trade.Status{trade.Expired}, b.events)
}
