package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

// chargeScript is a run of Charge whose activities answer as planned.
type chargeScript struct {
	// asked says that the creation comes with the run, and late that it comes while
	// the run looks for the first time; created is what comes of it.
	asked, late bool
	created     error
	// looks are the outcomes of the looks, the last one for ever; empty for a charge
	// that is missing.
	looks []charge.Status
	// signal says that news of a payment comes while the run looks for the first
	// time, and after when else it comes; 0 for never.
	signal bool
	after  time.Duration
	resume bool
	// phase is where the run ends, looked how often it looked.
	phase  string
	looked int
}

// TestEachStepOfAChargeIsTaken lets runs take every step that the table has.
func TestEachStepOfAChargeIsTaken(t *testing.T) {
	t.Parallel()
	const missing = charge.Status("")
	refused := refusedAs(refusals.NoPrice)
	all := walked{}
	for name, script := range map[string]chargeScript{
		"paid in time":                     {asked: true, after: time.Minute, looks: []charge.Status{charge.Confirmed}, phase: "over", looked: 1},
		"never paid":                       {asked: true, looks: []charge.Status{charge.Expired}, phase: "over", looked: 1},
		"refused":                          {asked: true, created: refused, phase: "none"},
		"made, and not heard of":           {asked: true, created: fault(), looks: []charge.Status{charge.Pending, charge.Expired}, phase: "over", looked: 2},
		"never asked for":                  {looks: []charge.Status{missing}, phase: "none", looked: 1},
		"news while it ends":               {resume: true, signal: true, looks: []charge.Status{charge.Expired}, phase: "over", looked: 2},
		"news of a charge that is gone":    {resume: true, signal: true, looks: []charge.Status{missing}, phase: "none", looked: 2},
		"asked for late":                   {late: true, looks: []charge.Status{missing, charge.Expired}, phase: "over", looked: 2},
		"asked for late, and refused":      {late: true, created: refused, looks: []charge.Status{missing}, phase: "none", looked: 1},
		"asked for late, and not heard of": {late: true, created: fault(), looks: []charge.Status{missing, charge.Expired}, phase: "over", looked: 2},
	} {
		env := environment(all)
		outcomes := script.run(t, env)
		requireEnded(t, env)
		require.Equal(t, script.phase, phaseOf(t, env), name)
		require.Zero(t, script.looked, name)
		if script.asked || script.late {
			require.Len(t, outcomes, 1, name)
			require.Equal(t, script.created == nil, outcomes[0] == nil, name)
		}
	}
	all.requireWhole(t, workflows.ChargeRows())
}

// run returns what the creation was told.
func (s *chargeScript) run(t *testing.T, env *testsuite.TestWorkflowEnvironment) (outcomes []error) {
	t.Helper()
	env.RegisterActivity(&charges.Handler{})
	ends, came := env.Now().Add(time.Hour), make(chan struct{})
	env.OnActivity("CreateCharge", mock.Anything, mock.Anything).Return(
		charges.ChargeState{Status: charge.Pending, ExpiresAt: ends}, s.created).Maybe()
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(func(context.Context, charges.AdvanceCharge) (charges.ChargeState, error) {
		if s.late {
			<-came
		}
		status := s.looks[0]
		s.looks, s.looked = s.looks[min(1, len(s.looks)-1):], s.looked-1
		if status == "" {
			return charges.ChargeState{}, refusedAs(refusals.Missing)
		}
		return charges.ChargeState{Status: status, ExpiresAt: ends}, nil
	}).Maybe()
	callback := answered(t, &outcomes)
	create := func() { env.UpdateWorkflow(workflows.CreateChargeUpdate, "1", callback, workflows.CreateCharge{}) }
	signal := func() { env.SignalWorkflow(workflows.PaymentsSignal, nil) }
	if s.asked {
		env.RegisterDelayedCallback(create, 0)
	}
	if s.after > 0 {
		env.RegisterDelayedCallback(signal, s.after)
	}
	env.SetOnLocalActivityStartedListener(duringFirst("AdvanceCharge", func() {
		if s.signal {
			signal()
		}
		if s.late {
			callback.OnAccept = func() { close(came) }
			create()
		}
	}))
	in := input()
	in.Resume = s.resume
	env.ExecuteWorkflow(workflows.Charge, in)
	return outcomes
}

// duringFirst calls when the first local activity of the name begins.
func duringFirst(name string, call func()) func(*activity.Info, context.Context, []any) {
	begun := false
	return func(info *activity.Info, _ context.Context, _ []any) {
		if info.ActivityType.Name == name && !begun {
			begun = true
			call()
		}
	}
}

// An acceptance that was written while the database went away is carried: what
// follows from it is seen to, though the merchant was told of a fault.
func TestAcceptanceThatWasNotHeardOfIsCarried(t *testing.T) {
	t.Parallel()
	l := &ledger{height: 205}
	env := chargeEnvironment(t, l)
	written := false
	env.OnActivity("AcceptUnderpaid", mock.Anything, mock.Anything).Return(func(ctx context.Context, in charges.AcceptUnderpaid) (charges.ChargeState, error) {
		if !written {
			written = true
			_, err := l.accept(ctx, in)
			require.NoError(t, err)
		}
		return charges.ChargeState{}, fault()
	})
	createNow(t, env)
	env.RegisterDelayedCallback(func() {
		l.pay(env.Now(), 195)
		l.payments[0].Amount = 400
	}, time.Minute)
	accepted := acceptAt(t, env, "a", 2*time.Minute)
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Charge, input())
	requireEnded(t, env)
	require.Error(t, *accepted)
	require.Equal(t, charge.Confirmed, l.charge.Status)
	require.Less(t, env.Now().Sub(begun), 10*time.Minute, "the run looks at once")
}
