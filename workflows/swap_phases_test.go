package workflows_test

import (
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

// TestEachStepOfASwapIsTaken lets runs take every step that the table has.
func TestEachStepOfASwapIsTaken(t *testing.T) {
	t.Parallel()
	finished := func(time.Duration) provider.State { return provider.Finished }
	all := walked{}
	for _, run := range []func() *swapFixture{
		func() *swapFixture { // ordered, polled for the merchant, and ended
			d := newSwapFixture(t, func(after time.Duration) provider.State {
				if after < time.Hour {
					return provider.Exchanging
				}
				return provider.Finished
			})
			d.create()
			d.update(time.Hour+time.Second, workflows.PollSwapUpdate, "2")
			d.run()
			return d
		},
		func() *swapFixture { // refused
			d := newSwapFixture(t, nil)
			d.refuses = refusedAs(refusals.Rate)
			d.create()
			d.run()
			return d
		},
		func() *swapFixture { // the answer is lost, the swap is there
			d := newSwapFixture(t, finished)
			d.lost = true
			d.create()
			d.run()
			return d
		},
		func() *swapFixture { // the answer is lost, and so is the swap
			d := newSwapFixture(t, nil)
			d.refuses = errors.New("the database is away")
			d.create()
			d.run()
			return d
		},
		func() *swapFixture { // no client sent the update
			d := newSwapFixture(t, nil)
			d.runUnasked()
			return d
		},
		func() *swapFixture { // it exists already
			d := newSwapFixture(t, finished)
			d.open(d.env.Now())
			d.runUnasked()
			return d
		},
		func() *swapFixture { return orderedLate(t) },
	} {
		d := run()
		requireEnded(t, d.env)
		maps.Copy(all, d.walked)
	}
	all.requireWhole(t, workflows.PhaseRows("Swap"))
}

// runUnasked starts a run that gets no update.
func (d *swapFixture) runUnasked() {
	d.env.ExecuteWorkflow(workflows.Swap, workflows.SwapInput{SwapID: swapID, MerchantID: "m"})
}

// orderedLate is a run whose order comes when it is looked for the swap.
func orderedLate(t *testing.T) *swapFixture {
	t.Helper()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Finished })
	outcome := errors.New("no answer")
	d.meanwhile = func() {
		d.meanwhile = nil
		d.env.UpdateWorkflow(workflows.CreateSwapUpdate, "1", answerInto(&outcome), swapRequest())
	}
	d.runUnasked()
	require.NoError(t, outcome)
	require.Equal(t, 1, d.placed)
	require.False(t, d.sought.SentUntil.IsZero())
	require.True(t, d.sought.SentUntil.Before(d.ordered), "an order that comes while it is looked for the swap is sent")
	return d
}

// An order whose answer was lost succeeds for a caller who repeats it after its swap was
// found.
func TestLostSwapThatWasFoundIsTheAnswer(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(after time.Duration) provider.State {
		if after < time.Hour {
			return provider.Waiting
		}
		return provider.Finished
	})
	d.lost = true
	first, again := d.create(), d.update(30*time.Minute, workflows.CreateSwapUpdate, "2", swapRequest())
	d.run()
	requireEnded(t, d.env)
	require.Error(t, *first)
	require.NoError(t, *again)
}

// A merchant's question that comes while a long history is about to be cut is
// answered first.
func TestNoQuestionIsCutOffWithTheHistory(t *testing.T) {
	t.Parallel()
	d := newSwapFixture(t, func(time.Duration) provider.State { return provider.Exchanging })
	d.env.SetContinueAsNewSuggested(true)
	d.create()
	outcome := d.update(0, workflows.PollSwapUpdate, "2")
	d.run()
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, d.env.GetWorkflowError(), &next)
	require.NoError(t, *outcome)
	require.Len(t, d.checks, 1)
}
