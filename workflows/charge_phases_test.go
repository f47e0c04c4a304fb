package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

// TestEachStepOfAChargeIsTaken lets runs take every step that the table has.
func TestEachStepOfAChargeIsTaken(t *testing.T) {
	t.Parallel()
	const missing = charge.Status("")
	all := walked{}
	for name, s := range map[string]script[charge.Status]{
		"paid in time":                  {after: time.Minute, looks: []charge.Status{charge.Pending, charge.Confirmed}, phase: "over", looked: 2},
		"never paid":                    {looks: []charge.Status{charge.Pending, charge.Expired}, phase: "over", looked: 2},
		"news while it ends":            {signal: true, looks: []charge.Status{charge.Expired}, phase: "over", looked: 2},
		"news of a charge that is gone": {signal: true, looks: []charge.Status{missing}, phase: "over", looked: 2},
	} {
		t.Run(name, func(t *testing.T) { playCharge(t, environment(all), s) })
	}
	all.requireWhole(t, workflows.PhaseRows("Charge"))
}

func playCharge(t *testing.T, env *testsuite.TestWorkflowEnvironment, s script[charge.Status]) {
	t.Helper()
	env.RegisterActivity(&incoming.Charges{})
	ends := env.Now().Add(time.Hour)
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(func(context.Context, incoming.AdvanceCharge) (incoming.ChargeState, error) {
		status := s.look()
		if status == "" {
			return incoming.ChargeState{}, refusedAs(refusals.Missing)
		}
		return incoming.ChargeState{Status: status, ExpiresAt: ends}, nil
	})
	s.play(t, env, subject{
		signal:  func() { env.SignalWorkflow(workflows.PaymentsSignal, nil) },
		advance: "AdvanceCharge",
		begin:   func() { env.ExecuteWorkflow(workflows.Charge, input()) },
	})
}
