package workflows_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

var resumed = workflows.PayoutInput{PayoutID: payoutInput.PayoutID, MerchantID: payoutInput.MerchantID, Resume: true}

// A payout whose workflow was lost continues from the state in its row. So does one whose sweep
// was lost after it had reserved charges.
func TestPayoutIsResumedWhereItStopped(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]struct {
		found payouts.FoundPayout
		steps []string
	}{
		"reserved": {payouts.FoundPayout{Status: payout.Building}, []string{"BuildPayout", "RelayPayout", "CheckPayout"}},
		"built":    {payouts.FoundPayout{Status: payout.Building, Reserved: payouts.Reserved{Built: true}}, []string{"RelayPayout", "CheckPayout"}},
		"sent":     {payouts.FoundPayout{Status: payout.Broadcast}, []string{"CheckPayout"}},
		"ended":    {payouts.FoundPayout{Status: payout.Confirmed}, nil},
		"failed":   {payouts.FoundPayout{Status: payout.Failed}, nil},
		"removed":  {payouts.FoundPayout{}, nil},
	} {
		for _, in := range []workflows.PayoutInput{resumed, payoutInput} {
			t.Run(fmt.Sprint(name, in.Resume), func(t *testing.T) {
				t.Parallel()
				is := is
				env := payoutEnvironment(t)
				is.found.Reserved.WalletID = "live"
				env.OnActivity("FindPayout", mock.Anything, payouts.PayoutTask{PayoutID: resumed.PayoutID}).Return(is.found, nil).Once()
				for _, step := range is.steps {
					var result []any
					if step == "CheckPayout" {
						result = []any{payouts.Depth{Confirmed: true}}
					}
					env.OnActivity(step, mock.Anything, mock.Anything).Return(append(result, nil)...).Once()
				}
				env.ExecuteWorkflow(workflows.Payout, in)
				require.True(t, env.IsWorkflowCompleted())
				require.NoError(t, env.GetWorkflowError())
				env.AssertExpectations(t)
			})
		}
	}
}

func TestPayoutThatIsRefusedAfterItsLossFails(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Building}, nil).Once()
	env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(temporal.NewNonRetryableApplicationError("the network refused the transaction", refusals.Broadcast, nil)).Once()
	env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, resumed)
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
}

// An operator's request waits for the look that is under way; once the payout
// is released it is never looked at, and so never relayed, again.
func TestReleaseAndScansTakeTurns(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil).Once()
	looking := false
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Stuck: true}, nil).
		Run(func(mock.Arguments) { looking = true }).After(3 * time.Minute).Once()
	env.OnActivity("ReleasePayout", mock.Anything, mock.MatchedBy(func(in payouts.ReleasePayout) bool {
		return looking && in.PayoutID == resumed.PayoutID && in.Actor == "cli:alice"
	})).Return(nil).Once()
	outcome := errors.New("not yet")
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.BlockSignal, nil) }, time.Minute)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.ReleaseUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
			OnComplete: func(_ any, err error) { outcome = err },
		}, workflows.ReleasePayout{Actor: "cli:alice"})
	}, 2*time.Minute)
	env.ExecuteWorkflow(workflows.Payout, resumed)
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, outcome)
	env.AssertExpectations(t)
}

// TestReleaseWhoseAnswerIsLost: the payout has failed, and its run finds that at the next
// look. It does not watch a failed payout for ever.
func TestReleaseWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil).Once()
	env.OnActivity("ReleasePayout", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("the worker died", "Lost", nil)).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Gone: true}, nil).Once()
	var outcome error
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.ReleaseUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
			OnComplete: func(_ any, err error) { outcome = err },
		}, workflows.ReleasePayout{Actor: "cli:alice"})
	}, time.Minute)
	env.ExecuteWorkflow(workflows.Payout, resumed)
	require.NoError(t, env.GetWorkflowError())
	require.Error(t, outcome)
	env.AssertExpectations(t)
}

func TestRefusedReleaseChangesNothing(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil).Once()
	env.OnActivity("ReleasePayout", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("it is confirmed", refusals.Release, nil)).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
	var outcome error
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.ReleaseUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
			OnComplete: func(_ any, err error) { outcome = err },
		}, workflows.ReleasePayout{Actor: "cli:alice"})
	}, time.Minute)
	env.ExecuteWorkflow(workflows.Payout, resumed)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Release, reason(t, outcome))
	env.AssertExpectations(t)
}

// A payout that a reorg dropped may wait for its operator for weeks. Its history is cut
// before Temporal ends the run. The next run continues from the row, and knows what
// operators were shown.
func TestStuckPayoutCutsItsHistory(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Stuck: true}, nil).Times(3)
	env.RegisterDelayedCallback(func() { env.SetContinueAsNewSuggested(true) }, 25*time.Minute)
	env.ExecuteWorkflow(workflows.Payout, resumed)
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, env.GetWorkflowError(), &next)
	var in workflows.PayoutInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
	require.Equal(t, workflows.PayoutInput{PayoutID: resumed.PayoutID, MerchantID: resumed.MerchantID, Resume: true, Stuck: true}, in)
	env.AssertExpectations(t)

	env = payoutEnvironment(t)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{}, nil).Once()
	env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil).Once() // the first attributes
	unstuck := temporal.NewSearchAttributes(workflows.StuckKey.ValueSet(false))
	env.OnUpsertTypedSearchAttributes(unstuck).Return(nil).Once()
	env.OnUpsertTypedSearchAttributes(mock.Anything).Return(nil).Once() // confirmed
	env.ExecuteWorkflow(workflows.Payout, in)
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
}

// However often the daemon changes its mind about a transaction, the payout is
// sent or fails: it is never left between the two.
func TestDaemonThatChangesItsMindLeavesNoPayoutBehind(t *testing.T) {
	t.Parallel()
	env := payoutEnvironment(t)
	refused := temporal.NewNonRetryableApplicationError("the network refused the transaction", refusals.Broadcast, nil)
	env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(
		payouts.FoundPayout{Status: payout.Building, Reserved: payouts.Reserved{WalletID: "live", Built: true}}, nil).Once()
	env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(refused).Times(3)
	env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{AlreadyBroadcast: true}, nil).Twice()
	env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{}, nil).Once()
	env.ExecuteWorkflow(workflows.Payout, resumed)
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
}
