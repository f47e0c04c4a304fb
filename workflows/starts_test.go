package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// TestARunOfAChargeStartsAShareOfItsDeliveries: a customer who sends much dust causes
// many deliveries. While the receivers are away, all of them are running. Each delivery
// is started once, by one run or a later one, no matter which look finds it.
func TestARunOfAChargeStartsAShareOfItsDeliveries(t *testing.T) {
	t.Parallel()
	const many = 250
	unsent := make([]string, many)
	for i := range unsent {
		unsent[i] = fmt.Sprintf("whd_%024d", i)
	}
	var mu sync.Mutex
	started := map[string]int{}
	var shares []int
	in := input()
	for {
		env := environment()
		env.RegisterActivity(&incoming.Charges{})
		env.RegisterActivity(&deliveries.Handler{})
		looks, share := 0, 0
		env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(
			func(context.Context, incoming.AdvanceCharge) (incoming.ChargeState, error) {
				state := incoming.ChargeState{Status: charge.Pending, ExpiresAt: env.Now().Add(time.Hour), Deliveries: unsent}
				if looks++; looks > 1 {
					state.Status = charge.Expired
				}
				return state, nil
			})
		env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
			func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
				mu.Lock()
				defer mu.Unlock()
				started[in.ID]++
				share++
				return deliveries.Attempt{Status: webhook.Delivered}, nil
			})
		env.ExecuteWorkflow(workflows.Charge, in)
		shares = append(shares, share)
		next, again := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
		if !again {
			require.NoError(t, env.GetWorkflowError())
			require.Equal(t, 2, looks, "nothing is started at the second look that was at the first")
			break
		}
		require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
		require.Len(t, in.Started, len(started))
	}
	require.Equal(t, []int{100, 100, 50}, shares)
	for _, id := range unsent {
		require.Equal(t, 1, started[id], id)
	}
}

// paidAndConfirmed pays a charge five minutes after it was made, and confirms it five
// minutes later.
func (l *ledger) paidAndConfirmed(env *testsuite.TestWorkflowEnvironment) {
	l.height = 100
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 100)
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 5*time.Minute)
	env.RegisterDelayedCallback(func() {
		l.height = 110
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 10*time.Minute)
}

// TestAReceiverThatHangsHoldsNoRunUp: the charge is paid and confirmed while the attempt
// to deliver its first event is running. The run ends after that attempt.
func TestAReceiverThatHangsHoldsNoRunUp(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	env := environmentWithoutAttempts(t, l)
	env.OnActivity("AttemptDelivery", mock.Anything, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: "whd_created", Attempt: 1}).
		Return(deliveries.Attempt{Status: webhook.Delivered}, nil).After(30 * time.Minute).Once()
	l.paidAndConfirmed(env)
	l.makeCharge(env)
	begun := env.Now()
	var confirmed time.Duration
	env.RegisterDelayedCallback(func() {
		require.Equal(t, charge.Confirmed, l.charge.Status)
		confirmed = env.Now().Sub(begun)
	}, 11*time.Minute)
	env.ExecuteWorkflow(workflows.Charge, input())
	requireEnded(t, env)
	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}, l.events)
	require.Equal(t, 11*time.Minute, confirmed)
	require.Equal(t, 30*time.Minute, env.Now().Sub(begun), "no attempt is cut off")
	env.AssertExpectations(t)
}

// TestSignalAfterTheEndIsHandled sends a signal while the run waits only for an attempt.
func TestSignalAfterTheEndIsHandled(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	env := environmentWithoutAttempts(t, l)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(deliveries.Attempt{Status: webhook.Delivered}, nil).After(30 * time.Minute).Once()
	l.paidAndConfirmed(env)
	l.makeCharge(env)
	before := 0
	env.RegisterDelayedCallback(func() {
		before = l.checks
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 20*time.Minute)
	env.ExecuteWorkflow(workflows.Charge, input())
	requireEnded(t, env)
	require.Equal(t, before+1, l.checks)
}

// TestAFirstAttemptThatFailsGoesToAWorkflowOfItsOwn, which looks when the next is due.
func TestAFirstAttemptThatFailsGoesToAWorkflowOfItsOwn(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	env := environmentWithoutAttempts(t, l)
	next := env.Now().Add(5 * time.Second)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(deliveries.Attempt{Status: webhook.Pending, Next: next}, nil).Once()
	env.OnWorkflow(workflows.Delivery, mock.Anything, workflows.DeliveryToMerchant("whd_created")).Return(nil).Once()
	l.makeCharge(env)
	env.ExecuteWorkflow(workflows.Charge, input())
	requireEnded(t, env)
	env.AssertExpectations(t)
}

// TestAFreshHistoryBeginsAfterTheAttempts: a run that has started its share keeps looking
// until no attempt is running, and then continues in a fresh history.
func TestAFreshHistoryBeginsAfterTheAttempts(t *testing.T) {
	t.Parallel()
	l := &ledger{rules: charge.Rules{ConfirmationWindow: 2 * time.Hour}, height: 100}
	env := environmentWithoutAttempts(t, l)
	var unsent []string
	for i := range 101 {
		unsent = append(unsent, fmt.Sprintf("whd_%024d", i))
	}
	l.makeCharge(env)
	l.unsent = unsent
	over := 0
	var mu sync.Mutex
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(context.Context, deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			mu.Lock()
			defer mu.Unlock()
			over++
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		}).After(20 * time.Minute).Times(100)
	l.paidAndConfirmed(env)
	env.ExecuteWorkflow(workflows.Charge, input())
	next, again := errors.AsType[*workflow.ContinueAsNewError](env.GetWorkflowError())
	require.True(t, again)
	var in workflows.ChargeInput
	require.NoError(t, converter.GetDefaultDataConverter().FromPayloads(next.Input, &in))
	require.Len(t, in.Started, 100)
	require.Equal(t, 100, over, "none is cut off")
	require.Equal(t, charge.Confirmed, l.charge.Status, "the run went on meanwhile")
}
