package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/refunds"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

const refundID = "rf_0123456789abcdef01234567"

func refundEnvironment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&refunds.Handler{})
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
func looked(env *testsuite.TestWorkflowEnvironment, waiting bool, states ...refunds.State) {
	for _, s := range states {
		s.MerchantID, s.PayoutID = "m", secret.NewID("po_")
		env.OnActivity("AdvanceRefund", mock.Anything, mock.MatchedBy(func(in refunds.AdvanceRefund) bool {
			return in.RefundID == refundID && in.Waiting == waiting
		})).Return(s, nil).Once()
	}
}

func newRefund() workflows.RefundInput {
	return workflows.RefundInput{RefundID: refundID, MerchantID: "m"}
}

// TestRefundIsClaimedApprovedAndPaid walks a refund from its creation to its end; the
// payout of the claim is a run of its own.
func TestRefundIsClaimedApprovedAndPaid(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(48 * time.Hour)
	env.OnActivity("CreateRefund", mock.Anything, mock.MatchedBy(func(in refunds.CreateRefund) bool {
		return in.RefundID == refundID && in.MerchantID == "m" && in.ChargeID == "ch_1" && !in.Now.IsZero()
	})).Return(nil).Once()
	env.OnActivity("ClaimRefund", mock.Anything, mock.Anything).Return(refunds.Claimed{ClaimID: "rc_1"}, nil).Once()
	env.OnActivity("ApproveRefund", mock.Anything, mock.Anything).Return(nil).Once()
	looked(env, false,
		refunds.State{Status: refund.Open, NextAt: &end, Deliveries: []string{"whd_1"}},
		refunds.State{Status: refund.AwaitingApproval, NextAt: &end},
		refunds.State{Status: refund.AwaitingPayment, NextAt: &end, PayClaim: "rc_1"},
		refunds.State{Status: refund.InProgress, NextAt: &end}, // sent
		refunds.State{Status: refund.Completed})                // confirmed
	env.OnWorkflow(workflows.Delivery, mock.Anything, workflows.DeliveryToMerchant("whd_1")).Return(nil).Once()
	env.OnWorkflow(workflows.Payout, mock.Anything, mock.MatchedBy(func(in workflows.PayoutInput) bool {
		return in.ClaimID == "rc_1" && in.RefundID == refundID && in.MerchantID == "m" && in.PayoutID != "" && !in.Resume
	})).Return(nil).Once()
	created := ask(t, env, 0, workflows.CreateRefundUpdate, workflows.CreateRefund{ChargeID: "ch_1"})
	claimed := ask(t, env, time.Minute, workflows.ClaimRefundUpdate, workflows.ClaimRefund{ClaimID: "rc_1", Address: "a"})
	approved := ask(t, env, 2*time.Minute, workflows.ApproveRefundUpdate, workflows.ChangeRefund{})
	for _, at := range []time.Duration{3 * time.Minute, 20 * time.Minute} {
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ClaimMovedSignal, nil) }, at)
	}
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	for _, err := range []*error{created, claimed, approved} {
		require.NoError(t, *err)
	}
	env.AssertExpectations(t)
}

// TestUntriedClaimWaitsWhileTheDaemonIsAway: the claim's row has the time of the next
// try, and no run is started before that.
func TestUntriedClaimWaitsWhileTheDaemonIsAway(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	begun, end := env.Now().Truncate(time.Millisecond), env.Now().Add(30*24*time.Hour)
	next, tried := begun, 0
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(func(_ context.Context, in refunds.AdvanceRefund) (refunds.State, error) {
		switch {
		case in.Now.Sub(begun) > time.Hour:
			return refunds.State{MerchantID: "m", Status: refund.Cancelled}, nil
		case in.Now.Before(next):
			return refunds.State{MerchantID: "m", Status: refund.AwaitingPayment, NextAt: &next}, nil
		default:
			tried++
			return refunds.State{MerchantID: "m", Status: refund.AwaitingPayment, NextAt: &end, PayClaim: "rc_1", PayoutID: secret.NewID("po_")}, nil
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
	in := newRefund()
	in.Resume = true
	env.ExecuteWorkflow(workflows.Refund, in)
	require.NoError(t, env.GetWorkflowError())
	require.LessOrEqual(t, tried, 6)
	require.Greater(t, tried, 1)
}

func TestRefusedRefundLeavesNoRun(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	env.OnActivity("CreateRefund", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("too much", refusals.Refund, nil)).Once()
	outcome := ask(t, env, 0, workflows.CreateRefundUpdate, workflows.CreateRefund{})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, refusals.Refund, reason(t, *outcome))
	env.AssertExpectations(t)
}

// After a fault of the creation the row may exist, so the run looks for it.
func TestRefundIsLookedForAfterAFault(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	env.OnActivity("CreateRefund", mock.Anything, mock.Anything).Return(errors.New("the database is away"))
	looked(env, false, refunds.State{Status: refund.Cancelled})
	outcome := ask(t, env, 0, workflows.CreateRefundUpdate, workflows.CreateRefund{})
	env.ExecuteWorkflow(workflows.Refund, newRefund())
	require.NoError(t, env.GetWorkflowError())
	require.Error(t, *outcome)
	env.AssertExpectations(t)
}

func TestRefundThatNobodyAsksForEnds(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	env.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(refunds.State{},
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
	looked(env, true, refunds.State{Status: refund.Open, NextAt: &end}, refunds.State{Status: refund.Expired})
	in := newRefund()
	in.Resume = true
	env.ExecuteWorkflow(workflows.Refund, in)
	require.NoError(t, env.GetWorkflowError())
	require.False(t, env.Now().Before(end))
	env.AssertExpectations(t)
}

// TestWaitingClaimIsPaidWhenMoneyComes shows that a waiting claim is tried when the
// watcher signals money, and otherwise once an hour. It is never tried because its own
// payout was refused.
func TestWaitingClaimIsPaidWhenMoneyComes(t *testing.T) {
	t.Parallel()
	env := refundEnvironment(t)
	end := env.Now().Add(30 * 24 * time.Hour)
	waits := refunds.State{Status: refund.AwaitingPayment, NextAt: &end}
	pays := waits
	pays.PayClaim = "rc_1"
	var paid []time.Duration
	begun := env.Now()
	env.OnWorkflow(workflows.Payout, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, _ workflows.PayoutInput) error {
		paid = append(paid, workflow.Now(ctx).Sub(begun))
		return nil
	})
	looked(env, true, pays)                                    // a run begins with a look
	looked(env, false, waits)                                  // its payout was refused
	looked(env, true, pays, pays)                              // money; an hour later
	looked(env, true, refunds.State{Status: refund.Completed}) // another hour
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.ClaimMovedSignal, nil) }, time.Minute)
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.FundsSignal, nil) }, 10*time.Minute)
	in := newRefund()
	in.Resume = true
	env.ExecuteWorkflow(workflows.Refund, in)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 10 * time.Minute, 70 * time.Minute}, paid)
	env.AssertExpectations(t)
}

// TestClaimIsPaidByAPayoutThatNobodySweeps has a payout reserve for its claim, and signal
// its outcome to the refund.
func TestClaimIsPaidByAPayoutThatNobodySweeps(t *testing.T) {
	t.Parallel()
	in := workflows.PayoutInput{PayoutID: payoutInput.PayoutID, MerchantID: "m", ClaimID: "rc_1", RefundID: refundID}
	t.Run("sent and confirmed", func(t *testing.T) {
		t.Parallel()
		env := payoutEnvironment(t)
		env.OnActivity("ReserveClaim", mock.Anything, mock.MatchedBy(func(r payouts.ReserveClaim) bool {
			return r.ClaimID == "rc_1" && r.PayoutID == in.PayoutID && r.Dust > 0
		})).Return(payouts.Reserved{WalletID: "live", Gross: 10, Charges: 1, RefundID: refundID}, nil).Once()
		env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
		env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(payouts.Sent{}, nil).Once()
		env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true, Deliveries: []string{"whd_2"}}, nil).Once()
		env.OnWorkflow(workflows.Delivery, mock.Anything, workflows.DeliveryToMerchant("whd_2")).Return(nil).Once()
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
		env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(payouts.Sent{}, nil).Once()
		env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Gone: true}, nil).Once()
		env.OnSignalExternalWorkflow(mock.Anything, workflows.RefundWorkflowID(refundID), "", workflows.ClaimMovedSignal, nil).Return(nil).Twice()
		env.ExecuteWorkflow(workflows.Payout, resumed)
		require.NoError(t, env.GetWorkflowError())
		env.AssertExpectations(t)
	})
}
