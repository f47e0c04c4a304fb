package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// deliveryRow stands where the database and the receiver stand: one delivery, which the
// workflow under test sees through activities only.
type deliveryRow struct {
	env *testsuite.TestWorkflowEnvironment
	deliveries.State

	// outcomes are those of the next attempts; the delivery ends with the last one.
	outcomes []deliveries.Attempt
	// meanwhile is called during each attempt; nil for nothing.
	meanwhile func()
	looks     int
	made      []deliveries.AttemptDelivery
	// at are the times of the attempts since the begin.
	begun time.Time
	at    []time.Duration
}

// newDelivery is a delivery whose first attempt is due. It arrives at once, unless the
// test changes that.
func newDelivery(env *testsuite.TestWorkflowEnvironment, outcomes ...deliveries.Attempt) *deliveryRow {
	env.RegisterActivity(&deliveries.Handler{})
	d := &deliveryRow{env: env, State: deliveries.State{Pending: true, Next: env.Now()}, outcomes: outcomes, begun: env.Now()}
	env.OnActivity("FindDelivery", mock.Anything, mock.Anything).Return(func(context.Context, deliveries.FindDelivery) (deliveries.State, error) {
		d.looks++
		return d.State, nil
	}).Maybe()
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
		d.made, d.at = append(d.made, in), append(d.at, env.Now().Sub(d.begun).Round(time.Second))
		o := deliveries.Attempt{Status: webhook.Delivered}
		if len(d.outcomes) > 0 {
			o, d.outcomes = d.outcomes[0], d.outcomes[1:]
		}
		d.State = deliveries.State{Pending: o.Status == webhook.Pending, Next: o.Next, Attempts: in.Attempt}
		if d.meanwhile != nil {
			d.meanwhile()
		}
		return o, nil
	}).Maybe()
	return d
}

// open opens the delivery again, as the API does, and wakes its run.
func (d *deliveryRow) open() {
	d.Pending, d.Next = true, d.env.Now()
	d.env.SignalWorkflow(workflows.DueSignal, nil)
}

func (d *deliveryRow) run(t *testing.T) {
	t.Helper()
	d.env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, d.env.GetWorkflowError())
}

// numbers are those of the attempts.
func (d *deliveryRow) numbers() (all []int) {
	for _, in := range d.made {
		all = append(all, in.Attempt)
	}
	return all
}

func TestDeliveryIsAttemptedWhenTheRowSays(t *testing.T) {
	t.Parallel()
	env := environment()
	after := func(pause time.Duration) deliveries.Attempt {
		return deliveries.Attempt{Status: webhook.Pending, Next: env.Now().Add(pause)}
	}
	d := newDelivery(env, after(5*time.Second), after(15*time.Second), deliveries.Attempt{Status: webhook.Failed})
	d.run(t)
	require.Equal(t, []time.Duration{0, 5 * time.Second, 15 * time.Second}, d.at)
	require.Equal(t, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 3}, d.made[2])
	require.Equal(t, 1, d.looks, "an attempt tells what follows")
}

// TestDeliveryContinuesWhereItStopped: a run continues where another one was lost, and so
// does the count of attempts.
func TestDeliveryContinuesWhereItStopped(t *testing.T) {
	t.Parallel()
	d := newDelivery(environment())
	d.State = deliveries.State{Pending: true, Next: d.env.Now().Add(time.Hour), Attempts: 3}
	d.run(t)
	require.Equal(t, []time.Duration{time.Hour}, d.at)
	require.Equal(t, []int{4}, d.numbers())
}

func TestDeliveryThatEndedOrIsGoneIsNotAttempted(t *testing.T) {
	t.Parallel()
	d := newDelivery(environment())
	d.State = deliveries.State{Attempts: 1}
	d.run(t)
	require.Empty(t, d.made)
}

// TestARetryIsMadeNow: a delivery that was made due is attempted at once, and the pause
// after that is its own again.
func TestARetryIsMadeNow(t *testing.T) {
	t.Parallel()
	env := environment()
	in := func(pause time.Duration) deliveries.Attempt {
		return deliveries.Attempt{Status: webhook.Pending, Next: env.Now().Add(pause)}
	}
	d := newDelivery(env, in(time.Hour), in(65*time.Minute), deliveries.Attempt{Status: webhook.Failed})
	env.RegisterDelayedCallback(d.open, 5*time.Minute)
	d.run(t)
	require.Equal(t, []time.Duration{0, 5 * time.Minute, 65 * time.Minute}, d.at)
	require.Equal(t, []int{1, 2, 3}, d.numbers())
}

// TestDeliveryThatIsOpenedAgainWhileItsRunEnds lets a merchant request a redelivery as
// soon as the outcome is in the log, before the workflow has received it.
func TestDeliveryThatIsOpenedAgainWhileItsRunEnds(t *testing.T) {
	t.Parallel()
	d := newDelivery(environment())
	d.meanwhile = func() {
		d.meanwhile = nil
		d.open()
	}
	d.run(t)
	require.Equal(t, []int{1, 2}, d.numbers())
}

// Signals that come during an attempt or a pause are one look.
func TestManySignalsOfADeliveryAreOneLook(t *testing.T) {
	t.Parallel()
	env := environment()
	d := newDelivery(env, deliveries.Attempt{Status: webhook.Pending, Next: env.Now().Add(time.Minute)})
	d.meanwhile = func() {
		for range 50 {
			env.SignalWorkflow(workflows.DueSignal, nil)
		}
	}
	d.run(t)
	require.Equal(t, []int{1, 2}, d.numbers())
	require.LessOrEqual(t, d.looks, 3)
}

// TestLongDeliveryContinuesInAFreshHistory: signals fill a history. A delivery that waits
// continues in a fresh one.
func TestLongDeliveryContinuesInAFreshHistory(t *testing.T) {
	t.Parallel()
	d := newDelivery(environment())
	d.Next = d.env.Now().Add(time.Hour)
	d.env.RegisterDelayedCallback(func() {
		d.env.SetContinueAsNewSuggested(true)
		d.env.SignalWorkflow(workflows.DueSignal, nil)
	}, time.Minute)
	d.env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	var next *workflow.ContinueAsNewError
	require.ErrorAs(t, d.env.GetWorkflowError(), &next)
	require.Empty(t, d.made)
}

// TestAttemptThatFindsNoPlaceIsNotUsedUp has a receiver that has its share of the running
// attempts. The same attempt is repeated, and the pauses between attempts do not change.
func TestAttemptThatFindsNoPlaceIsNotUsedUp(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("FindDelivery", mock.Anything, mock.Anything).Return(deliveries.State{Pending: true}, nil).Once()
	var numbers []int
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			numbers = append(numbers, in.Attempt)
			switch {
			case len(numbers)%2 == 1:
				return deliveries.Attempt{}, temporal.NewApplicationErrorWithOptions("busy", deliveries.BusyType,
					temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
			case len(numbers) < 6:
				return deliveries.Attempt{Status: webhook.Pending}, nil
			default:
				return deliveries.Attempt{Status: webhook.Delivered}, nil
			}
		})
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []int{1, 1, 2, 2, 3, 3}, numbers)
}
