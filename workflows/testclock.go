package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/testclocks"
)

// TestClockWorkflowID is the workflow ID of what a merchant does with a test clock.
func TestClockWorkflowID(clockID string) string { return "test-clock-" + clockID }

// Names that callers of the workflow of a test clock use.
const (
	// AdvanceClockUpdate carries AdvanceClock and completes once what is bound lives
	// by the new time. A refusal is an application error of a Refused type.
	AdvanceClockUpdate = "advance"
	// DeleteClockUpdate completes once the clock is deleted. A refusal is an
	// application error of a Refused type.
	DeleteClockUpdate = "delete"
)

// TestClockInput names the clock.
type TestClockInput struct {
	ClockID    string
	MerchantID string
}

// AdvanceClock is the argument of AdvanceClockUpdate.
type AdvanceClock struct {
	To  time.Time
	Key string
}

// How long the run of a clock waits for what is bound to it.
const (
	// clockPatience is after how long an advance has failed.
	clockPatience = time.Hour
	firstClockAsk = 200 * time.Millisecond
	lastClockAsk  = 10 * time.Second
)

// TestClock carries an advance of a test clock, or its end: it tells what is bound
// until all of that has answered the clock's time. Without an update it goes on with
// what was begun before.
func TestClock(ctx workflow.Context, in TestClockInput) error {
	run := &testClockRun{in: in}
	if err := run.setHandlers(ctx); err != nil {
		return err
	}
	if _, err := run.requests.awaitFirst(ctx); err != nil {
		return err
	}
	for {
		if err := run.settle(ctx); err != nil {
			return err
		}
		if finished, err := run.requests.finish(ctx); finished || err != nil {
			return err
		}
	}
}

type testClockRun struct {
	in       TestClockInput
	requests requests
	// moved counts the requests that were answered.
	moved int
}

func (r *testClockRun) setHandlers(ctx workflow.Context) error {
	err := workflow.SetUpdateHandler(ctx, AdvanceClockUpdate, func(ctx workflow.Context, to AdvanceClock) error {
		return r.requests.submit(ctx, func(ctx workflow.Context) error { return r.advance(ctx, to) })
	})
	if err != nil {
		return err
	}
	return workflow.SetUpdateHandler(ctx, DeleteClockUpdate, func(ctx workflow.Context) error {
		return r.requests.submit(ctx, r.delete)
	})
}

func (r *testClockRun) advance(ctx workflow.Context, to AdvanceClock) error {
	r.moved++
	var a *testclocks.Handler
	return workflow.ExecuteLocalActivity(createContext(ctx), a.BeginAdvance, testclocks.BeginAdvance{
		ClockID: r.in.ClockID, MerchantID: r.in.MerchantID, To: to.To, Key: to.Key,
	}).Get(ctx, nil)
}

func (r *testClockRun) delete(ctx workflow.Context) error {
	r.moved++
	var a *testclocks.Handler
	return workflow.ExecuteLocalActivity(createContext(ctx), a.DeleteTestClock, testclocks.DeleteTestClock{
		ClockID: r.in.ClockID, MerchantID: r.in.MerchantID, Now: now(ctx),
	}).Get(ctx, nil)
}

// settle tells what is bound until it has answered, with longer and longer pauses,
// and then has the clock stand at its time.
func (r *testClockRun) settle(ctx workflow.Context) error {
	var a *testclocks.Handler
	until, pause := workflow.Now(ctx).Add(clockPatience), firstClockAsk
	for {
		moved, due := r.moved, 0
		if err := r.requests.get(ctx, workflow.ExecuteActivity(clockContext(ctx), a.NotifyBound, r.in.ClockID), &due); err != nil {
			return err
		}
		if moved != r.moved {
			continue // what was counted was due by an earlier time
		}
		failed := due > 0 && !workflow.Now(ctx).Before(until)
		if due == 0 || failed {
			return workflow.ExecuteLocalActivity(databaseContext(ctx), a.EndAdvance, testclocks.EndAdvance{
				ClockID: r.in.ClockID, Failed: failed,
			}).Get(ctx, nil)
		}
		if err := r.requests.awaitNews(ctx, func() bool { return r.moved != moved }, pause); err != nil {
			return err
		}
		pause = min(2*pause, lastClockAsk)
	}
}

// clockContext is for telling thousands of runs, one after the other. It is tried
// again until the database and Temporal are back.
func clockContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    10 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
		},
	})
}
