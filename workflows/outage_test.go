package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// workflowTask is Temporal's default timeout of a workflow task. A local activity
// waits out a shorter pause inside the task and keeps a slot of the worker. A
// longer pause is a timer of Temporal's.
const workflowTask = 10 * time.Second

// outage is a database that answers again an hour after the first attempt.
type outage struct {
	env *testsuite.TestWorkflowEnvironment
	// attempts are the times of all attempts.
	attempts []time.Time
}

// fails makes an activity fail during the outage and return a result after it.
func fails[In, Out any](o *outage, activity string, result Out) {
	o.env.OnActivity(activity, mock.Anything, mock.Anything).Return(func(context.Context, In) (Out, error) {
		o.attempts = append(o.attempts, o.env.Now())
		if o.env.Now().Sub(o.attempts[0]) < time.Hour {
			return *new(Out), errors.New("connect: connection refused")
		}
		return result, nil
	})
}

// requireSurvived checks that the run has ended well, after attempts whose pauses
// became long enough for a timer.
func (o *outage) requireSurvived(t *testing.T) {
	t.Helper()
	requireEnded(t, o.env)
	n := len(o.attempts)
	require.GreaterOrEqual(t, o.attempts[n-1].Sub(o.attempts[0]), time.Hour)
	require.Greater(t, o.attempts[n-1].Sub(o.attempts[n-2]), workflowTask, "the pause keeps a slot of the worker")
}

// A database that is away for an hour ends no run: each run continues when the database
// is back.
func TestRunsSurviveAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	for name, run := range map[string]struct {
		workflow, input any
		play            func(env *testsuite.TestWorkflowEnvironment, o *outage)
	}{
		"charge": {workflows.Charge, input(), func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&incoming.Charges{})
			fails[incoming.AdvanceCharge](o, "AdvanceCharge", incoming.ChargeState{Status: charge.Confirmed})
		}},
		"trade": {workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true}, func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&trades.Handler{})
			fails[trades.AdvanceTrade](o, "AdvanceTrade", trades.TradeState{Status: trade.Expired})
		}},
		"refund": {workflows.Refund, workflows.RefundInput{RefundID: refundID}, func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&payouts.Handler{})
			fails[payouts.AdvanceRefund](o, "AdvanceRefund", payouts.RefundState{Status: refund.Completed})
		}},
		"payout": {workflows.Payout, resumed, func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&payouts.Handler{})
			fails[payouts.PayoutTask](o, "FindPayout", payouts.FoundPayout{Status: payout.Confirmed})
		}},
		"mail": {workflows.Mail, workflows.MailInput{VerificationID: "em_1"}, func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&mails.Handler{})
			fails[mails.MailTask](o, "FindMail", mails.MailNeedless)
		}},
		"delivery": {workflows.Delivery, workflows.DeliveryToMerchant("whd_1"), func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&deliveries.Handler{})
			fails[deliveries.FindDelivery](o, "FindDelivery", deliveries.State{Pending: true})
			env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(deliveries.Attempt{Status: webhook.Delivered}, nil).Once()
		}},
		"swap": {workflows.Swap, workflows.SwapInput{SwapID: swapID, Resume: true}, func(env *testsuite.TestWorkflowEnvironment, o *outage) {
			env.RegisterActivity(&payouts.Swaps{})
			fails[sending.SwapOrder](o, "FindSwap", payouts.SwapState{Closed: true})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment()
			o := &outage{env: env}
			run.play(env, o)
			env.ExecuteWorkflow(run.workflow, run.input)
			o.requireSurvived(t)
			env.AssertExpectations(t)
		})
	}
}

// A reservation that meets an outage is no refusal: the payout reserves when the
// database is back, and is sent.
func TestPayoutReservesAfterAnOutageOfTheDatabase(t *testing.T) {
	t.Parallel()
	claim := payoutInput
	claim.ClaimID = "rc_1"
	for name, run := range map[string]struct {
		input workflows.PayoutInput
		fails func(o *outage)
	}{
		"sweep": {payoutInput, func(o *outage) {
			fails[payouts.ReservePayout](o, "ReservePayout", payouts.Reserved{WalletID: "live"})
		}},
		"claim": {claim, func(o *outage) {
			fails[payouts.ReserveClaim](o, "ReserveClaim", payouts.Reserved{WalletID: "live"})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := payoutEnvironment(t)
			o := &outage{env: env}
			run.fails(o)
			env.OnActivity("BuildPayout", mock.Anything, mock.Anything).Return(nil).Once()
			env.OnActivity("RelayPayout", mock.Anything, mock.Anything).Return(nil).Once()
			env.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{Confirmed: true}, nil).Once()
			outcome := new(error)
			if run.input.ClaimID == "" {
				outcome = sweepNow(t, env)
			}
			env.ExecuteWorkflow(workflows.Payout, run.input)
			o.requireSurvived(t)
			require.NoError(t, *outcome)
			env.AssertExpectations(t)
		})
	}
}
