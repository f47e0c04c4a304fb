package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/testclocks"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

func TestAChargeWithAClockWaitsForItsClock(t *testing.T) {
	t.Parallel()
	at := time.Date(2001, 5, 1, 12, 0, 0, 0, time.UTC) // long ago for the machine
	looks := 0
	state := charges.ChargeState{Status: charge.Pending, ExpiresAt: at.Add(time.Hour), Clock: &charges.ClockState{At: at}}
	env := environment()
	env.RegisterWorkflow(workflows.Delivery)
	env.RegisterActivity(&charges.Handler{})
	env.OnActivity("AdvanceCharge", mock.Anything, mock.Anything).Return(func(context.Context, charges.AdvanceCharge) (charges.ChargeState, error) {
		if looks++; state.Clock.Reached(state.ExpiresAt) || looks > 100 {
			state.Status = charge.Expired
		}
		return state, nil
	})
	begun := env.Now()
	env.RegisterDelayedCallback(func() { // 500 hours of the machine's are none of the clock's
		state.Clock = &charges.ClockState{At: at.Add(time.Hour)}
		env.SignalWorkflow(workflows.PaymentsSignal, nil)
	}, 500*time.Hour)
	in := input()
	in.Resume = true
	env.ExecuteWorkflow(workflows.Charge, in)
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, charge.Expired, state.Status)
	require.Less(t, looks, 30, "once a day")
	require.Equal(t, 500*time.Hour, env.Now().Sub(begun).Round(time.Second))
}

// clockedDelivery runs a delivery whose second attempt is due by a clock that stands.
func clockedDelivery(t *testing.T, move func(env *testsuite.TestWorkflowEnvironment, clock *time.Time)) (sent []int, took time.Duration) {
	t.Helper()
	clock := time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)
	next := clock.Add(5 * time.Second)
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
		if in.Attempt > len(sent) {
			sent = append(sent, in.Attempt)
		}
		if len(sent) == 2 {
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		}
		at := clock
		return deliveries.Attempt{Status: webhook.Pending, Next: next, Clock: &at}, nil
	})
	begun := env.Now()
	move(env, &clock)
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	return sent, env.Now().Sub(begun).Round(time.Second)
}

func TestADeliveryWithAClockWaitsForItsClock(t *testing.T) {
	t.Parallel()
	sent, took := clockedDelivery(t, func(env *testsuite.TestWorkflowEnvironment, clock *time.Time) {
		env.RegisterDelayedCallback(func() { // not far enough
			*clock = clock.Add(time.Second)
			env.SignalWorkflow(workflows.ClockAdvancedSignal, nil)
		}, 10*time.Hour)
		env.RegisterDelayedCallback(func() {
			*clock = clock.Add(time.Hour)
			env.SignalWorkflow(workflows.ClockAdvancedSignal, nil)
		}, 100*time.Hour+time.Minute)
	})
	require.Equal(t, []int{1, 2}, sent)
	require.Equal(t, 100*time.Hour+time.Minute, took)
}

func TestADeliveryLooksAtItsClockWithoutNews(t *testing.T) {
	t.Parallel()
	sent, took := clockedDelivery(t, func(env *testsuite.TestWorkflowEnvironment, clock *time.Time) {
		env.RegisterDelayedCallback(func() { *clock = clock.Add(time.Hour) }, 30*time.Hour)
	})
	require.Equal(t, []int{1, 2}, sent)
	require.Equal(t, 48*time.Hour, took)
}

// clockRows stand where the rows of a clock and of what is bound to it stand.
type clockRows struct {
	due    int
	told   int
	ended  []testclocks.EndAdvance
	faults int
}

func clockEnvironment(r *clockRows, refused error) *testsuite.TestWorkflowEnvironment {
	env := environment()
	env.RegisterActivity(&testclocks.Handler{})
	env.OnActivity("BeginAdvance", mock.Anything, mock.Anything).Return(refused).Maybe()
	env.OnActivity("DeleteTestClock", mock.Anything, mock.Anything).Return(refused).Maybe()
	env.OnActivity("NotifyBound", mock.Anything, mock.Anything).Return(func(context.Context, string) (int, error) {
		if r.faults > 0 {
			r.faults--
			return 0, errors.New("the database is away")
		}
		r.told++
		r.due = max(r.due-1, 0)
		return r.due, nil
	}).Maybe()
	env.OnActivity("EndAdvance", mock.Anything, mock.Anything).Return(func(_ context.Context, in testclocks.EndAdvance) error {
		r.ended = append(r.ended, in)
		return nil
	}).Maybe()
	return env
}

func TestAnAdvanceGoesOnUntilAllHaveAnswered(t *testing.T) {
	t.Parallel()
	r := &clockRows{due: 4, faults: 2}
	env := clockEnvironment(r, nil)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.AdvanceClockUpdate, "1", t, workflows.AdvanceClock{To: time.Unix(2e9, 0)})
	}, 0)
	env.ExecuteWorkflow(workflows.TestClock, workflows.TestClockInput{ClockID: "clock_1"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, 4, r.told)
	require.Equal(t, []testclocks.EndAdvance{{ClockID: "clock_1"}}, r.ended)
}

func TestAnAdvanceThatNobodyAnswersFails(t *testing.T) {
	t.Parallel()
	r := &clockRows{due: 1 << 30}
	env := clockEnvironment(r, nil)
	begun := env.Now()
	env.ExecuteWorkflow(workflows.TestClock, workflows.TestClockInput{ClockID: "clock_1"}) // as after Temporal has lost its memory
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []testclocks.EndAdvance{{ClockID: "clock_1", Failed: true}}, r.ended)
	require.Less(t, env.Now().Sub(begun), 2*time.Hour)
}

func TestAClockIsDeletedWhileItAdvances(t *testing.T) {
	t.Parallel()
	r := &clockRows{due: 1 << 30}
	env := clockEnvironment(r, nil)
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.AdvanceClockUpdate, "1", t, workflows.AdvanceClock{To: time.Unix(2e9, 0)})
	}, 0)
	env.RegisterDelayedCallback(func() {
		r.due = 1
		env.UpdateWorkflow(workflows.DeleteClockUpdate, "2", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) }, OnComplete: func(_ any, err error) { require.NoError(t, err) },
		})
	}, time.Minute)
	env.ExecuteWorkflow(workflows.TestClock, workflows.TestClockInput{ClockID: "clock_1"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []testclocks.EndAdvance{{ClockID: "clock_1"}}, r.ended)
}

func TestARefusedAdvanceIsTold(t *testing.T) {
	t.Parallel()
	r := &clockRows{}
	env := clockEnvironment(r, refusals.New(refusals.Clock, "later than"))
	var told error
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.AdvanceClockUpdate, "1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { t.Error(err) }, OnComplete: func(_ any, err error) { told = err },
		}, workflows.AdvanceClock{To: time.Unix(1, 0)})
	}, 0)
	env.ExecuteWorkflow(workflows.TestClock, workflows.TestClockInput{ClockID: "clock_1"})
	require.NoError(t, env.GetWorkflowError())
	require.True(t, refusals.Is(told, refusals.Clock), "%v", told)
}
