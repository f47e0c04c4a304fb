package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// requests queues the requests of updates. A handler submits a request and waits. The
// main routine of the run handles one request at a time, so requests never run
// concurrently.
type requests struct{ waiting []*request }

type request struct {
	do   func(ctx workflow.Context) error
	done bool
	err  error
}

// submit hands a request to the main routine and returns its error.
func (q *requests) submit(ctx workflow.Context, do func(ctx workflow.Context) error) error {
	req := &request{do: do}
	q.waiting = append(q.waiting, req)
	if err := workflow.Await(ctx, func() bool { return req.done }); err != nil {
		return err
	}
	return req.err
}

// answer handles the queued requests in the order in which they came.
func (q *requests) answer(ctx workflow.Context) {
	for len(q.waiting) > 0 {
		req := q.waiting[0]
		q.waiting = q.waiting[1:]
		req.err = req.do(ctx)
		req.done = true
	}
}

// await returns when its condition is true, and handles requests until then.
func (q *requests) await(ctx workflow.Context, ready func() bool) error {
	for !ready() {
		if err := workflow.Await(ctx, func() bool { return ready() || len(q.waiting) > 0 }); err != nil {
			return err
		}
		if !ready() {
			q.answer(ctx)
		}
	}
	return nil
}

// get returns the result of an activity, and handles requests until then.
func (q *requests) get(ctx workflow.Context, result workflow.Future, into any) error {
	if err := q.await(ctx, result.IsReady); err != nil {
		return err
	}
	return result.Get(ctx, into)
}

// awaitWithTimeout returns when its condition is true or the timeout has passed, and
// handles requests until then. It cancels its timer, so that a busy workflow does not collect
// timers.
func (q *requests) awaitWithTimeout(ctx workflow.Context, ready func() bool, timeout time.Duration) error {
	timerCtx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimer(timerCtx, max(timeout, 0))
	return q.await(ctx, func() bool { return ready() || timer.IsReady() })
}

// isLong reports whether Temporal suggests to continue in a fresh history. Refused
// updates make a history long too, and Temporal limits the updates of one run. So a run
// that waits for long must wait for this as well.
func isLong(ctx workflow.Context) bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }

// awaitFirst reports whether a request came within Unasked, and returns once it is
// answered. It returns false at once if mustLook is true. It cancels the timer before the
// answer, so that a run that is asked at its start has no timer in its history.
func (q *requests) awaitFirst(ctx workflow.Context, mustLook func() bool) (bool, error) {
	asked := func() bool { return len(q.waiting) > 0 }
	if err := awaitWithTimeout(ctx, func() bool { return asked() || mustLook() }, Unasked); err != nil || !asked() {
		return false, err
	}
	q.answer(ctx)
	return true, nil
}

// finish returns true once every handler has returned, so that the end of the run
// interrupts none. It returns false after it answered a request, because the run may have
// to continue.
func (q *requests) finish(ctx workflow.Context) (bool, error) {
	err := workflow.Await(ctx, func() bool { return len(q.waiting) > 0 || workflow.AllHandlersFinished(ctx) })
	if err != nil || len(q.waiting) == 0 {
		return err == nil, err
	}
	q.answer(ctx)
	return false, nil
}
