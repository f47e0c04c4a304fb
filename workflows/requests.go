package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// requests are what updates ask a run for. A handler submits and waits. The
// main routine of the run does the work, one request after the other. So
// nothing happens beside it.
type requests struct{ waiting []*request }

type request struct {
	do   func(ctx workflow.Context) error
	done bool
	err  error
}

// submit hands a request to the main routine and returns what came of it.
func (q *requests) submit(ctx workflow.Context, do func(ctx workflow.Context) error) error {
	one := &request{do: do}
	q.waiting = append(q.waiting, one)
	if err := workflow.Await(ctx, func() bool { return one.done }); err != nil {
		return err
	}
	return one.err
}

// answer does what waits, in the order in which it came.
func (q *requests) answer(ctx workflow.Context) {
	for len(q.waiting) > 0 {
		one := q.waiting[0]
		q.waiting = q.waiting[1:]
		one.err = one.do(ctx)
		one.done = true
	}
}

// await returns when something is ready, and answers requests until then.
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

// get waits for what an activity returns, and answers requests until then.
func (q *requests) get(ctx workflow.Context, result workflow.Future, into any) error {
	if err := q.await(ctx, result.IsReady); err != nil {
		return err
	}
	return result.Get(ctx, into)
}

// awaitNews returns when there is news or the timeout has passed, and answers
// requests until then. The timer is taken back, so that a workflow with much
// news does not gather timers.
func (q *requests) awaitNews(ctx workflow.Context, news func() bool, timeout time.Duration) error {
	timerCtx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimer(timerCtx, max(timeout, 0))
	return q.await(ctx, func() bool { return news() || timer.IsReady() })
}

// isLong reports whether Temporal suggests to go on in a fresh history. Updates that
// are refused make a history long too, and Temporal takes only so many updates of one
// run. So a run that waits for long has to wait for this as well.
func isLong(ctx workflow.Context) bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }

// awaitFirst returns when a request has come and is answered, or false when none came
// within Unasked. The timer is taken back before the answer, so that a run
// that is asked as it starts has none in its history.
func (q *requests) awaitFirst(ctx workflow.Context) (bool, error) {
	asked := func() bool { return len(q.waiting) > 0 }
	if err := awaitNews(ctx, asked, Unasked); err != nil || !asked() {
		return false, err
	}
	q.answer(ctx)
	return true, nil
}

// finish returns true once every handler has returned, so that the end of the
// run cuts none off. It returns false when it answered a request instead,
// because the run may have to go on.
func (q *requests) finish(ctx workflow.Context) (bool, error) {
	err := workflow.Await(ctx, func() bool { return len(q.waiting) > 0 || workflow.AllHandlersFinished(ctx) })
	if err != nil || len(q.waiting) == 0 {
		return err == nil, err
	}
	q.answer(ctx)
	return false, nil
}
