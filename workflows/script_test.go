package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
)

// script is the course of a run that looks when a signal or a request comes: the run of a
// charge, or of a trade, which an update creates. Its activities answer as planned.
type script[Status ~string] struct {
	// asked is set if the creation comes with the run, and late if it comes during the run's
	// first check; created is the outcome of the creation.
	asked, late bool
	created     error
	// upstream is set if another provider fills the trade, and gone if the trade is removed
	// before the run asks that provider.
	upstream, gone bool
	// looks are the outcomes of the looks, the last one for ever; an empty one means
	// missing.
	looks []Status
	// signal is set if a signal comes during the run's first check. after is when another
	// signal comes; 0 for never.
	signal bool
	after  time.Duration
	resume bool
	// phase is the phase in which the run ends, looked how often it looked.
	phase  string
	looked int
	// refusal is the answer to the creation of a trade: the code of a refusal, or empty.
	refusal string

	// came is closed once the late creation was accepted.
	came chan struct{}
}

// subject has the parts in which the two runs differ.
type subject struct {
	// create sends the update that creates, if there is one, and signal sends a signal.
	create func(callback *testsuite.TestUpdateCallback)
	signal func()
	// advance is the activity that looks, and begin starts the run.
	advance string
	begin   func()
}

// look is the outcome of the next look.
func (s *script[Status]) look() Status {
	if s.late {
		<-s.came
	}
	found := s.looks[0]
	s.looks, s.looked = s.looks[min(1, len(s.looks)-1):], s.looked-1
	return found
}

// play runs the script and requires its end. It returns the answer to the creation, if
// there was one.
func (s *script[Status]) play(t *testing.T, env *testsuite.TestWorkflowEnvironment, of subject) (outcomes []error) {
	t.Helper()
	s.came = make(chan struct{})
	callback := answered(t, &outcomes)
	if s.asked {
		env.RegisterDelayedCallback(func() { of.create(callback) }, 0)
	}
	if s.after > 0 {
		env.RegisterDelayedCallback(of.signal, s.after)
	}
	env.SetOnLocalActivityStartedListener(duringFirst(of.advance, func() {
		if s.signal {
			of.signal()
		}
		if s.late {
			callback.OnAccept = func() { close(s.came) }
			of.create(callback)
		}
	}))
	of.begin()
	requireEnded(t, env)
	require.Equal(t, s.phase, phaseOf(t, env))
	require.Zero(t, s.looked)
	if s.asked || s.late {
		require.Len(t, outcomes, 1)
	}
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
