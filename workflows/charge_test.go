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

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/activities/deliveries"
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

func (l *ledger) advance(_ context.Context, in charges.AdvanceCharge) (charges.ChargeState, error) {
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

func (l *ledger) state(deliveries ...string) charges.ChargeState {
	s := charges.ChargeState{
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
	env := tellingEnvironment(t, l)
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(deliveries.Attempt{Status: webhook.Delivered}, nil).Maybe()
	return env
}

// tellingEnvironment leaves the attempts of deliveries to the test.
func tellingEnvironment(t *testing.T, l *ledger) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterWorkflow(workflows.Delivery)
	env.RegisterActivity(&charges.Handler{})
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
	env.RegisterActivity(&charges.Handler{})
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(charges.ChargeState{},
		temporal.NewNonRetryableApplicationError("gone", refusals.Missing, nil)).Once()
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
}

// accept does what the database does when the merchant accepts the payments that came.
func (l *ledger) accept(_ context.Context, in charges.AcceptUnderpaid) (charges.ChargeState, error) {
	facts := l.facts(in.Now)
	changed, err := charge.AcceptUnderpaid(l.charge, facts)
	if err != nil {
		return charges.ChargeState{}, temporal.NewNonRetryableApplicationError(err.Error(), refusals.Accept, nil)
	}
	next, events := charge.Advance(changed, facts, l.rules)
	l.charge = next
	l.events = append(l.events, events...)
	return l.state(), nil
}

// acceptAt asks for the acceptance and keeps its outcome.
func acceptAt(t *testing.T, env *testsuite.TestWorkflowEnvironment, id string, after time.Duration) *error {
	t.Helper()
	outcome := errors.New("not completed")
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.AcceptUpdate, id, &testsuite.TestUpdateCallback{
			OnReject:   func(err error) { require.NoError(t, err) },
			OnAccept:   func() {},
			OnComplete: func(_ any, err error) { outcome = err },
		})
	}, after)
	return &outcome
}

func TestPendingChargeIsAcceptedUnderpaid(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 200}
	env := chargeEnvironment(t, l)
	env.OnActivity("AcceptUnderpaid", mock.Anything, mock.Anything).Return(l.accept)
	l.makeCharge(env)
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 195)
		l.payments[0].Amount = 400
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, time.Minute)
	tooSoon := acceptAt(t, env, "a", 2*time.Minute)
	env.RegisterDelayedCallback(func() { l.height = 205 }, 3*time.Minute)
	accepted := acceptAt(t, env, "b", 4*time.Minute)
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	var app *temporal.ApplicationError
	require.ErrorAs(t, *tooSoon, &app)
	require.Equal(t, refusals.Accept, app.Type())
	require.NoError(t, *accepted)
	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}, l.events)
	require.Less(t, env.Now().Sub(begun), time.Hour, "the run ends with the acceptance, not with the timer")
}

func TestExpiredChargeIsAcceptedInAShortRun(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 205}
	env := chargeEnvironment(t, l)
	env.OnActivity("AcceptUnderpaid", mock.Anything, mock.Anything).Return(l.accept)
	l.charge = charge.Charge{ID: chargeID, Status: charge.Expired, AmountXMR: 1000, ConfirmFrom: 1000, ConfirmationsRequired: 10}
	l.pay(env.Now(), 195)
	l.payments[0].Amount = 400
	first, second := acceptAt(t, env, "a", 0), acceptAt(t, env, "b", 0)
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, *first)
	require.NoError(t, *second, "accepting twice is accepting once")
	require.Equal(t, []string{charge.EventLateConfirmed}, l.events)
}

// TestAcceptanceAtTheTimeout lets the merchant ask in the moment in which the
// charge expires; the run does not end before the answer.
func TestAcceptanceAtTheTimeout(t *testing.T) {
	t.Parallel()
	for _, at := range []time.Duration{time.Hour - time.Millisecond, time.Hour, time.Hour + time.Millisecond} {
		l := &ledger{height: 205}
		env := chargeEnvironment(t, l)
		env.OnActivity("AcceptUnderpaid", mock.Anything, mock.Anything).Return(l.accept)
		l.makeCharge(env)
		env.RegisterDelayedCallback(func() {
			l.pay(env.Now(), 195)
			l.payments[0].Amount = 400
		}, time.Minute)
		accepted := acceptAt(t, env, "a", at)
		env.ExecuteWorkflow(workflows.Charge, input())
		require.NoError(t, env.GetWorkflowError())
		if *accepted != nil { // the run was over: the next one takes it
			require.Equal(t, charge.Expired, l.charge.Status)
			continue
		}
		require.Equal(t, charge.Confirmed, l.charge.Status)
		require.Equal(t, charge.EventPending, l.events[1])
		require.NotContains(t, l.events[3:], charge.EventConfirmed)
	}
}

// TestMarkIsWrittenInAShortRun marks an expired charge twice, from two sides.
func TestMarkIsWrittenInAShortRun(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 205}
	env := chargeEnvironment(t, l)
	env.OnActivity("MarkCharge", mock.Anything, mock.Anything).Return(func(_ context.Context, in charges.MarkCharge) (charges.ChargeState, error) {
		marked, events, err := charge.MarkAs(l.charge, l.facts(in.Now), in.Mark)
		if err != nil {
			return charges.ChargeState{}, temporal.NewNonRetryableApplicationError(err.Error(), refusals.Accept, nil)
		}
		l.charge, l.events = marked, append(l.events, events...)
		return l.state(), nil
	})
	l.charge = charge.Charge{ID: chargeID, Status: charge.Expired, AmountXMR: 1000, ConfirmFrom: 1000, ConfirmationsRequired: 10}
	outcomes := make([]error, 3)
	for i, as := range []charge.Mark{charge.MarkedSettled, charge.MarkedSettled, charge.MarkedInvalid} {
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(workflows.MarkUpdate, strconv.Itoa(i), &testsuite.TestUpdateCallback{
				OnReject:   func(err error) { require.NoError(t, err) },
				OnAccept:   func() {},
				OnComplete: func(_ any, err error) { outcomes[i] = err },
			}, as)
		}, 0)
	}
	env.ExecuteWorkflow(workflows.Charge, input())
	require.NoError(t, env.GetWorkflowError())
	require.NoError(t, outcomes[0])
	require.NoError(t, outcomes[1], "marking twice is marking once")
	var app *temporal.ApplicationError
	require.ErrorAs(t, outcomes[2], &app)
	require.Equal(t, refusals.Accept, app.Type())
	require.Equal(t, []string{charge.EventLateConfirmed}, l.events)
}
