package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/workflows"
)

// swapPayout expects a payout that pays a swap, up to its measurement.
func swapPayout(t *testing.T) (env *testsuite.TestWorkflowEnvironment, outcome *error) {
	t.Helper()
	env = payoutEnvironment(t)
	env.RegisterWorkflow(workflows.Swap)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live", Gross: 10, Charges: 1, Swap: true}, nil).Once()
	env.OnActivity("MeasurePayout", mock.Anything, payouts.PayoutTask{PayoutID: payoutInput.PayoutID}).Return(payouts.Measured{Net: 9}, nil).Once()
	return env, sweepNow(t, env)
}

// order matches the request to order the swap at the provider.
func order() any {
	return mock.MatchedBy(func(in payouts.OrderPayoutSwap) bool {
		return in.PayoutID == payoutInput.PayoutID && in.Net == 9 && !in.Now.IsZero()
	})
}

func TestPayoutOrdersItsSwapAndHasItFollowed(t *testing.T) {
	t.Parallel()
	env, outcome := swapPayout(t)
	var steps []string
	step := func(name string) func(mock.Arguments) {
		return func(mock.Arguments) { steps = append(steps, name) }
	}
	env.OnActivity("OrderPayoutSwap", mock.Anything, order()).Return(nil).Once().Run(step("order"))
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once().Run(step("build"))
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once().Run(step("relay"))
	env.OnWorkflow(workflows.Swap, mock.Anything, workflows.SwapInput{
		SwapID: swap.OfPayout(payoutInput.PayoutID), MerchantID: payoutInput.MerchantID, Resume: true,
	}).Return(nil).Once().Run(step("follow"))
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmations: payout.Confirmations, Confirmed: true}, nil).Once()
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.BlockSignal, nil) }, time.Minute)
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *outcome)
	require.Equal(t, []string{"order", "build", "relay", "follow"}, steps)
	env.AssertExpectations(t)
}

func TestPayoutWithoutASwapIsGivenUpBeforeItIsBuilt(t *testing.T) {
	t.Parallel()
	env, outcome := swapPayout(t)
	env.OnActivity("OrderPayoutSwap", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("no provider has an offer now", refusals.Swap, nil)).Once()
	env.OnActivity("FailPayout", mock.Anything, payouts.FailPayout{
		PayoutID: payoutInput.PayoutID, Reason: "no provider has an offer now",
	}).Return(payouts.FailOutcome{}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Swap, reason(t, *outcome))
	env.AssertExpectations(t)
	env.AssertNotCalled(t, "BuildPayout", mock.Anything, mock.Anything)
	env.AssertNotCalled(t, "RelayPayout", mock.Anything, mock.Anything)
}

func TestFaultsWhileOrderingAreTriedAgain(t *testing.T) {
	t.Parallel()
	env, outcome := swapPayout(t)
	env.OnActivity("OrderPayoutSwap", mock.Anything, order()).Return(errors.New("the database is away")).Times(3)
	env.OnActivity("OrderPayoutSwap", mock.Anything, order()).Return(nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnWorkflow(workflows.Swap, mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *outcome)
	env.AssertExpectations(t)
}

func TestSwapOfARefusedBroadcastIsNotFollowed(t *testing.T) {
	t.Parallel()
	env, outcome := swapPayout(t)
	env.OnActivity("OrderPayoutSwap", mock.Anything, order()).Return(nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(temporal.NewNonRetryableApplicationError("refused", refusals.Broadcast, nil)).Once()
	env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Broadcast, reason(t, *outcome))
	env.AssertExpectations(t)
}
