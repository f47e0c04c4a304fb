package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// ledger stands where the database stands: one charge, its payments, and the
// domain's own rules. The workflow under test sees it through activities only.
type ledger struct {
	charge   charge.Charge
	payments []charge.Payment
	height   int64
	rules    charge.Rules
	events   []string
	checks   int
	// unsent are the deliveries that each look finds.
	unsent []string
}

const chargeID = "ch_0123456789abcdef01234567"

// makeCharge writes the rows that exist before a run: the charge, its event and a
// delivery.
func (l *ledger) makeCharge(env *testsuite.TestWorkflowEnvironment) {
	now := env.Now().UTC().Truncate(time.Millisecond)
	l.charge = charge.Charge{
		ID: chargeID, Status: charge.Pending, AmountXMR: 1000, ConfirmFrom: 1000, ConfirmationsRequired: 10,
		CreatedAt: now, ExpiresAt: now.Add(time.Hour),
	}
	l.events = append(l.events, charge.EventCreated)
	l.unsent = append(l.unsent, "whd_created")
}

func (l *ledger) advance(_ context.Context, in incoming.AdvanceCharge) (incoming.ChargeState, error) {
	l.checks++
	next, events := charge.Advance(l.charge, l.facts(in.Now), l.rules)
	l.charge = next
	l.events = append(l.events, events...)
	return l.state(l.unsent...), nil
}

// facts are those of a watcher that has scanned up to the ledger's height.
func (l *ledger) facts(now time.Time) charge.Facts {
	for i, p := range l.payments {
		l.payments[i].Mature = p.Height != nil && charge.MatureHeight(*p.Height, 10, 0) <= l.height
	}
	return charge.Facts{Payments: l.payments, ChainHeight: l.height, Now: now}
}

func (l *ledger) state(deliveries ...string) incoming.ChargeState {
	s := incoming.ChargeState{
		Status: l.charge.Status, AmountXMR: l.charge.AmountXMR, ExpiresAt: l.charge.ExpiresAt, Deliveries: deliveries,
	}
	for _, p := range l.payments {
		s.Received += p.Amount
	}
	return s
}

func (l *ledger) pay(at time.Time, height int64) {
	p := charge.Payment{TxHash: "t", Amount: 1000, FirstSeenAt: at}
	if height > 0 {
		p.Height = &height
	}
	l.payments = []charge.Payment{p}
}

// chargeEnvironment carries a charge whose receiver accepts every delivery at once.
func chargeEnvironment(t *testing.T, l *ledger) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environmentWithoutAttempts(t, l)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(deliveries.Attempt{Status: webhook.Delivered}, nil).Maybe()
	return env
}

// environmentWithoutAttempts leaves the attempts of deliveries to the test.
func environmentWithoutAttempts(t *testing.T, l *ledger) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterWorkflow(workflows.Delivery)
	env.RegisterActivity(&incoming.Charges{})
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(l.advance).Maybe()
	return env
}

func input() workflows.ChargeInput {
	return workflows.ChargeInput{ChargeID: chargeID}
}

func TestChargeExpiresAtItsTimeout(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	env := chargeEnvironment(t, l)
	l.makeCharge(env)
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{charge.EventCreated, charge.EventExpired}, l.events)
	require.Equal(t, time.Hour, env.Now().Sub(begun).Round(time.Second))
	require.Equal(t, 2, l.checks, "it looks at first and at the timer: nothing is polled")
}

func TestChargeIsConfirmedBySignals(t *testing.T) {
	t.Parallel()
	l := &ledger{rules: charge.Rules{ConfirmationWindow: 2 * time.Hour}, height: 100}
	env := chargeEnvironment(t, l)
	l.makeCharge(env)
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 0)
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 59*time.Minute)
	env.RegisterDelayedCallback(func() {
		l.pay(l.payments[0].FirstSeenAt, 100)
		l.height = 110
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 2*time.Hour)
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}, l.events)
}

func TestManySignalsAreOneScan(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	env := chargeEnvironment(t, l)
	l.makeCharge(env)
	env.RegisterDelayedCallback(func() {
		for range 50 {
			env.SignalWorkflow(workflows.PaymentsSignal, nil)
		}
	}, time.Minute)
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Less(t, l.checks, 10)
}

func TestLateMoneyIsAShortRun(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 200}
	env := chargeEnvironment(t, l)
	l.charge = charge.Charge{ID: chargeID, Status: charge.Expired, AmountXMR: 1000, ConfirmFrom: 1000, ConfirmationsRequired: 10}
	l.pay(env.Now(), 190)
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []string{charge.EventLateConfirmed}, l.events)
}

func TestSignalForAPrunedChargeEndsQuietly(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&incoming.Charges{})
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(incoming.ChargeState{},
		temporal.NewNonRetryableApplicationError("gone", refusals.Missing, nil)).Once()
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
}

// TestRunEndsWhenTheMerchantAcceptsLess: the API has confirmed the charge, and wakes the run.
func TestRunEndsWhenTheMerchantAcceptsLess(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 205}
	env := chargeEnvironment(t, l)
	l.makeCharge(env)
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 195)
		l.payments[0].Amount = 400
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, time.Minute)
	env.RegisterDelayedCallback(func() {
		facts := l.facts(env.Now())
		accepted, err := charge.AcceptUnderpaid(l.charge, facts)
		require.NoError(t, err)
		l.charge, _ = charge.Advance(accepted, facts, l.rules)
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 4*time.Minute)
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, charge.Confirmed, l.charge.Status)
	require.Less(t, env.Now().Sub(begun), 10*time.Minute, "the run ends with the acceptance, not with the timer")
}
