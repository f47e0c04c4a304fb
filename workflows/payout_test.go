package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

func payoutEnvironment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&payouts.Handler{})
	env.RegisterActivity(&deliveries.Handler{})
	env.RegisterWorkflow(workflows.Delivery)
	env.OnActivity("CheckSweep", mock.Anything, mock.Anything).Return(nil).Maybe()
	env.OnActivity("EstimateDust", mock.Anything).Return(money.Piconero(14_000_000), nil).Maybe()
	return env
}

// sweepNow asks for the sweep and returns where its outcome will stand.
func sweepNow(t *testing.T, env *testsuite.TestWorkflowEnvironment) (outcome *error) {
	t.Helper()
	outcome = new(error)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.SweepUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject:   func(err error) { require.NoError(t, err) },
			OnAccept:   func() {},
			OnComplete: func(_ any, err error) { *outcome = err },
		})
	}, 0)
	return outcome
}

var payoutInput = workflows.PayoutInput{PayoutID: "po_0123456789abcdef01234567", MerchantID: "m"}

func reason(t *testing.T, err error) string {
	t.Helper()
	var app *temporal.ApplicationError
	require.ErrorAs(t, err, &app)
	return app.Type()
}

func TestPayoutIsSentAndWatchedUntilItIsDeep(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	outcome := sweepNow(t, env)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live", Gross: 10, Charges: 1}, nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
	for n := range int64(payout.Confirmations) {
		env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmations: n}, nil).Once()
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.BlockSignal, nil) }, time.Duration(n+1)*time.Minute)
	}
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmations: payout.Confirmations, Confirmed: true}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *outcome)
	env.AssertExpectations(t)
}

func TestRefusedReservationMovesNothing(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	outcome := sweepNow(t, env)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{},
		temporal.NewNonRetryableApplicationError("another payout is in progress", refusals.InProgress, nil)).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.InProgress, reason(t, *outcome))
}

func TestRefusedBroadcastReleasesTheCharges(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	outcome := sweepNow(t, env)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live"}, nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(temporal.NewNonRetryableApplicationError("the network refused the transaction", refusals.Broadcast, nil)).Once()
	env.OnActivity("FailPayout", mock.Anything, payouts.FailPayout{
		PayoutID: payoutInput.PayoutID, Reason: "the network refused the transaction",
	}).Return(payouts.FailOutcome{}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Broadcast, reason(t, *outcome))
	env.AssertExpectations(t)
}

func TestPayoutThatTheDaemonKnowsAfterAllIsNotReleased(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	outcome := sweepNow(t, env)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live"}, nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(temporal.NewNonRetryableApplicationError("refused", refusals.Broadcast, nil)).Once()
	env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{AlreadyBroadcast: true}, nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmations: payout.Confirmations, Confirmed: true}, nil).Once()
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.BlockSignal, nil) }, time.Minute)
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *outcome)
	env.AssertExpectations(t)
}

func TestFaultsWhileRelayingAreRetriedUntilTheDaemonIsBack(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	outcome := sweepNow(t, env)
	env.OnActivity("ReservePayout", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live"}, nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(errors.New("daemon is down")).Times(5)
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, payoutInput)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *outcome)
	env.AssertExpectations(t)
}
