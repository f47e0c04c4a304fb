package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

const refundID = "rf_0123456789abcdef01234567"

func refundEnvironment(t *testing.T, logger ...log.Logger) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment(logger...)
	env.RegisterActivity(&payouts.Handler{})
	env.RegisterActivity(&deliveries.Handler{})
	env.RegisterWorkflow(workflows.Delivery)
	env.RegisterWorkflow(workflows.Payout)
	return env
}

// ask sends an update after a while and returns where its outcome will stand.
func ask(t *testing.T, env *testsuite.TestWorkflowEnvironment, after time.Duration, update string, arg any) (outcome *error) {
	t.Helper()
	outcome = new(error)
	*outcome = errors.New("not answered")
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(update, update+after.String(), &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
			OnComplete: func(_ any, err error) { *outcome = err },
		}, arg)
	}, after)
	return outcome
}

// looked makes the next looks find these.
func looked(env *testsuite.TestWorkflowEnvironment, waiting bool, states ...payouts.RefundState) {
	for _, s := range states {
		s.MerchantID, s.PayoutID = "m", secret.NewID("po_")
		env.OnActivity("AdvanceRefund", mock.Anything, mock.MatchedBy(func(in payouts.AdvanceRefund) bool {
			return in.RefundID == refundID && in.Waiting == waiting
		})).Return(s, nil).Once()
	}
}

func newRefund() workflows.RefundInput {
	return workflows.RefundInput{RefundID: refundID, MerchantID: "m"}
}

// TestRefundIsClaimedApprovedAndPaid walks a refund to its end; the payout of the claim is
// a run of its own.
func TestRefundIsClaimedApprovedAndPaid(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(48 * time.Hour)
	env.OnActivity("ClaimRefund", mock.Anything, mock.MatchedBy(func(in payouts.ClaimRefund) bool {
		return in.RefundID == refundID && in.ClaimID == "rc_1" && !in.Now.IsZero()
	})).Return(payouts.ClaimedRefund{ClaimID: "rc_1"}, nil).Once()
	looked(env, true, payouts.RefundState{Status: refund.Open, NextAt: &end})
	looked(env, false, payouts.RefundState{Status: refund.AwaitingApproval, NextAt: &end})                 // claimed
	looked(env, true, payouts.RefundState{Status: refund.AwaitingPayment, NextAt: &end, PayClaim: "rc_1"}) // approved
	looked(env, false, payouts.RefundState{Status: refund.InProgress, NextAt: &end})                       // sent
	looked(env, false, payouts.RefundState{Status: refund.Completed})                                      // confirmed
	env.OnWorkflow(workflows.Payout, mock.Anything, mock.MatchedBy(func(in workflows.PayoutInput) bool {
		return in.ClaimID == "rc_1" && in.RefundID == refundID && in.MerchantID == "m" && in.PayoutID != "" && !in.Resume
	})).Return(nil).Once()
	claimed := ask(t, env, time.Minute, workflows.ClaimRefundUpdate, workflows.ClaimRefund{ClaimID: "rc_1", Address: "a"})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.FundsSignal, nil) }, 2*time.Minute)
	for _, at := range []time.Duration{3 * time.Minute, 20 * time.Minute} {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ClaimMovedSignal, nil) }, at)
	}
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *claimed)
	env.AssertExpectations(t)
}

// TestUntriedClaimWaitsWhileTheDaemonIsAway: the claim's row has the time of the next
// try, and no run is started before that.
func TestUntriedClaimWaitsWhileTheDaemonIsAway(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	begun, end := env.Now().Truncate(time.Millisecond), env.Now().Add(30*24*time.Hour)
	next, tried := begun, 0
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(_ context.Context, in payouts.AdvanceRefund) (payouts.RefundState, error) {
		switch {
		case in.Now.Sub(begun) > time.Hour:
			return payouts.RefundState{MerchantID: "m", Status: refund.Cancelled}, nil
		case in.Now.Before(next):
			return payouts.RefundState{MerchantID: "m", Status: refund.AwaitingPayment, NextAt: &next}, nil
		default:
			tried++
			return payouts.RefundState{MerchantID: "m", Status: refund.AwaitingPayment, NextAt: &end, PayClaim: "rc_1", PayoutID: secret.NewID("po_")}, nil
		}
	})
	env.OnActivity("EstimateDust", mock.Anything).Return(money.Piconero(0), errors.New("the daemon is away"))
	env.OnActivity("DelayClaim", mock.Anything, mock.Anything).Return(func(_ context.Context, in payouts.DelayClaim) error {
		require.Equal(t, "rc_1", in.ClaimID)
		next = in.Now.Add(10 * time.Minute)
		return nil
	})
	env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).
		Return(func(string, string, string, string, any) error {
			env.SignalWorkflow(workflows.ClaimMovedSignal, nil)
			return nil
		})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.LessOrEqual(t, tried, 6)
	require.Greater(t, tried, 1)
}

// After a fault of a claim its row may exist, so the run looks for it.
func TestClaimIsLookedForAfterAFault(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(48 * time.Hour)
	env.OnActivity("ClaimRefund", mock.Anything, mock.Anything).Return(payouts.ClaimedRefund{}, errors.New("the database is away"))
	looked(env, true, payouts.RefundState{Status: refund.Open, NextAt: &end})
	looked(env, false, payouts.RefundState{Status: refund.Cancelled})
	outcome := ask(t, env, time.Minute, workflows.ClaimRefundUpdate, workflows.ClaimRefund{})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Error(t, *outcome)
	env.AssertExpectations(t)
}

// A claim may start the run of a refund that has ended. It is refused, and the run ends.
func TestRefusedClaimOfAnEndedRefundLeavesNoRun(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	looked(env, true, payouts.RefundState{Status: refund.Expired})
	env.OnActivity("ClaimRefund", mock.Anything, mock.Anything).Return(payouts.ClaimedRefund{}, refusedAs(refusals.Refund)).Once()
	outcome := ask(t, env, 0, workflows.ClaimRefundUpdate, workflows.ClaimRefund{})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Refund, reason(t, *outcome))
	env.AssertExpectations(t)
}

// TestEachStepOfARefundIsTaken lets a run take every step that the table has.
func TestEachStepOfARefundIsTaken(t *testing.T) {
	t.Parallel()
	all := walked{}
	env := refundEnvironment(t, all)
	end := env.Now().Add(48 * time.Hour)
	looked(env, true, payouts.RefundState{Status: refund.Open, NextAt: &end}, payouts.RefundState{Status: refund.AwaitingPayment, NextAt: &end, PayClaim: "rc_1"})
	env.OnWorkflow(workflows.Payout, mock.Anything, mock.Anything).Return(nil).Once()
	unsettled := payouts.RefundState{Status: refund.InProgress, NextAt: &end, Unsettled: true}
	looked(env, false, unsettled) // the daemon is away
	looked(env, true, unsettled)  // ten minutes later it is not
	env.OnActivity("FollowPayments", mock.Anything, mock.Anything).Return(refusedAs(refusals.Refund)).Once()
	env.OnActivity("FollowPayments", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(context.Context, payouts.AdvanceRefund) (payouts.RefundState, error) {
		env.SignalWorkflow(workflows.ClaimMovedSignal, nil)
		return payouts.RefundState{MerchantID: "m", Status: refund.Completed}, nil
	}).Once()
	looked(env, false, payouts.RefundState{Status: refund.Completed})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.FundsSignal, nil) }, time.Minute)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ClaimMovedSignal, nil) }, 2*time.Minute)
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
	all.requireWhole(t, workflows.PhaseRows("Refund"))
}

// TestAShopsPaymentIsFollowedUntilItIsFinal gives a payment of a claim. The run asks for it at each
// block and after ten minutes, also once the refund is completed, and ends when it is final.
func TestAShopsPaymentIsFollowedUntilItIsFinal(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	begun, end := env.Now(), env.Now().Add(48*time.Hour)
	state := payouts.RefundState{MerchantID: "m", Status: refund.AwaitingPayment, NextAt: &end}
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(context.Context, payouts.AdvanceRefund) (payouts.RefundState, error) { return state, nil })
	env.OnActivity("GivePayment", mock.Anything, mock.MatchedBy(func(in payouts.GivePayment) bool {
		return in.RefundID == refundID && in.ClaimID == "rc_1" && in.TxHash == "aa" && in.TxKey == "bb" && !in.Now.IsZero()
	})).Return(func(context.Context, payouts.GivePayment) error {
		state.Status, state.Unsettled = refund.InProgress, true
		return nil
	}).Once()
	var followed []time.Duration
	env.OnActivity("FollowPayments", mock.Anything, followsOf(refundID)).Return(func(_ context.Context, in payouts.FollowPayments) error {
		at := in.Now.Sub(begun).Round(time.Minute)
		followed = append(followed, at)
		if at >= 20*time.Minute {
			state.Status = refund.Completed
		}
		state.Unsettled = at < 35*time.Minute
		return nil
	})
	given := ask(t, env, time.Minute, workflows.GivePaymentUpdate, workflows.GivePayment{ClaimID: "rc_1", TxHash: "aa", TxKey: "bb"})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.FundsSignal, nil) }, 5*time.Minute)
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *given)
	require.Equal(t, []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, 25 * time.Minute, 35 * time.Minute}, followed)
}

func followsOf(id string) any {
	return mock.MatchedBy(func(in payouts.FollowPayments) bool { return in.RefundID == id && !in.Now.IsZero() })
}

// TestAPaymentIsGivenWhileAnotherOneIsFollowed: the daemon hangs. The run answers a second payment
// meanwhile, and follows it too.
func TestAPaymentIsGivenWhileAnotherOneIsFollowed(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(48 * time.Hour)
	state := payouts.RefundState{MerchantID: "m", Status: refund.InProgress, NextAt: &end, Unsettled: true}
	given, follows := (*error)(nil), 0
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(context.Context, payouts.AdvanceRefund) (payouts.RefundState, error) { return state, nil })
	env.OnActivity("GivePayment", mock.Anything, mock.Anything).Return(nil).Once()
	env.OnActivity("FollowPayments", mock.Anything, mock.Anything).Return(func(context.Context, payouts.FollowPayments) error {
		if follows++; follows == 1 {
			given = ask(t, env, 0, workflows.GivePaymentUpdate, workflows.GivePayment{ClaimID: "rc_2"})
			return nil
		}
		state.Status, state.Unsettled = refund.Completed, false
		return nil
	})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *given)
	require.Equal(t, 2, follows)
}

// TestARefusedPaymentOfAnEndedRefundLeavesNoRun: a payment may start the run of a refund that has
// ended.
func TestARefusedPaymentOfAnEndedRefundLeavesNoRun(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	looked(env, true, payouts.RefundState{Status: refund.Cancelled})
	env.OnActivity("GivePayment", mock.Anything, mock.Anything).Return(refusedAs(refusals.Refund)).Once()
	outcome := ask(t, env, 0, workflows.GivePaymentUpdate, workflows.GivePayment{})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Refund, reason(t, *outcome))
	env.AssertExpectations(t)
}

// TestSignalAtTheEndOfARefundIsHandled sends a signal while the run is ending. The same run
// looks at the refund.
func TestSignalAtTheEndOfARefundIsHandled(t *testing.T) {
	t.Parallel()
	for _, signal := range []string{workflows.FundsSignal, workflows.ClaimMovedSignal} {
		env := refundEnvironment(t)
		env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(context.Context, payouts.AdvanceRefund) (payouts.RefundState, error) {
			env.SignalWorkflow(signal, nil)
			return payouts.RefundState{MerchantID: "m", Status: refund.Completed}, nil
		}).Once()
		looked(env, signal == workflows.FundsSignal, payouts.RefundState{Status: refund.Completed})
		env.ExecuteWorkflow(workflows.Refund, newRefund())
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	}
}

func TestRunOfADeletedRefundEnds(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(payouts.RefundState{},
		temporal.NewNonRetryableApplicationError("refund not found", refusals.Missing, nil)).Once()
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	env.AssertExpectations(t)
}

// TestRefundExpiresByItself waits for days without a look.
func TestRefundExpiresByItself(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(30 * 24 * time.Hour)
	looked(env, true, payouts.RefundState{Status: refund.Open, NextAt: &end}, payouts.RefundState{Status: refund.Expired})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.False(t, env.Now().Before(end))
	env.AssertExpectations(t)
}

// TestWaitingClaimIsPaidWhenMoneyComes shows that a waiting claim is tried when the
// watcher signals money, and otherwise once an hour, or ten minutes after a payout that said
// nothing. It is never tried because its own payout was refused.
func TestWaitingClaimIsPaidWhenMoneyComes(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(30 * 24 * time.Hour)
	waits := payouts.RefundState{Status: refund.AwaitingPayment, NextAt: &end}
	pays := waits
	pays.PayClaim = "rc_1"
	var paid []time.Duration
	begun := env.Now()
	env.OnWorkflow(workflows.Payout, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, _ workflows.PayoutInput) error {
		paid = append(paid, workflow.Now(ctx).Sub(begun))
		return nil
	})
	looked(env, true, pays)                                          // a run begins with a look
	looked(env, false, waits)                                        // its payout was refused
	looked(env, true, pays)                                          // money
	looked(env, true, waits, pays)                                   // its payout was silent; an hour later
	looked(env, true, payouts.RefundState{Status: refund.Completed}) // this one was silent, too
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ClaimMovedSignal, nil) }, time.Minute)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.FundsSignal, nil) }, 10*time.Minute)
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 10 * time.Minute, 80 * time.Minute}, paid)
	env.AssertExpectations(t)
}

// TestClaimIsPaidByAPayoutWithoutSweep has a payout reserve for its claim, and signal
// its outcome to the refund.
func TestClaimIsPaidByAPayoutWithoutSweep(t *testing.T) {
	t.Parallel()
	in := workflows.PayoutInput{PayoutID: payoutInput.PayoutID, MerchantID: "m", ClaimID: "rc_1", RefundID: refundID}
	t.Run("sent and confirmed", func(t *testing.T) {
		t.Parallel()
		env := payoutEnvironment(t)
		env.OnActivity("ReserveClaim", mock.Anything, mock.MatchedBy(func(r payouts.ReserveClaim) bool {
			return r.ClaimID == "rc_1" && r.PayoutID == in.PayoutID && r.Dust > 0
		})).Return(payouts.Reserved{WalletID: "live", Gross: 10, Charges: 1, RefundID: refundID}, nil).Once()
		env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
		env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
		env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
		env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).Return(nil).Twice()
		env.ExecuteWorkflow(workflows.Payout, in)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
		env.AssertNotCalled(t, "CheckSweep", mock.Anything, mock.Anything)
	})
	t.Run("waits", func(t *testing.T) {
		t.Parallel()
		env := payoutEnvironment(t)
		env.OnActivity("ReserveClaim", mock.Anything, mock.Anything).Return(payouts.Reserved{},
			temporal.NewNonRetryableApplicationError("no money", refusals.Waits, nil)).Once()
		env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).
			Return(errors.New("the refund has ended")).Once()
		env.ExecuteWorkflow(workflows.Payout, in)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	})
	t.Run("the wallet is away", func(t *testing.T) {
		t.Parallel()
		env := payoutEnvironment(t)
		attempts := 0
		env.OnActivity("ReserveClaim", mock.Anything, mock.Anything).Return(payouts.Reserved{WalletID: "live", Gross: 10, RefundID: refundID}, nil).Once()
		env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(errors.New("connection refused")).Run(func(mock.Arguments) { attempts++ })
		env.OnActivity("FailPayout", mock.Anything, mock.Anything).Return(payouts.FailOutcome{}, nil).Once()
		env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).Return(nil).Once()
		env.ExecuteWorkflow(workflows.Payout, in)
		require.NoError(t, env.GetWorkflowError())
		require.Equal(t, 6, attempts, "a quarter of a minute: the merchant's sweep waits no longer")
		env.AssertExpectations(t)
	})
	t.Run("resumed", func(t *testing.T) {
		t.Parallel()
		env := payoutEnvironment(t)
		env.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{
			Status: payout.Building, Reserved: payouts.Reserved{WalletID: "live", Gross: money.OneXMR, Built: true, RefundID: refundID},
		}, nil).Once()
		env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
		env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Gone: true}, nil).Once()
		env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).Return(nil).Twice()
		env.ExecuteWorkflow(workflows.Payout, resumed)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	})
}
