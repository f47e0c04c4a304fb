package workflows

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/webhook"
)

// TradeEventWorkflowID is the workflow ID of an event's further attempts.
func TradeEventWorkflowID(eventID int64) string {
	return "trade-event-" + strconv.FormatInt(eventID, 10)
}

// TradeEventInput names an event of a trade.
type TradeEventInput struct {
	EventID int64
	// Next is when the attempt after the first, failed one is due.
	Next time.Time
	// Again is set when an operator asked for a finished event to be sent once
	// more: the run waits for RedeliverUpdate.
	Again bool
}

// TradeEvent delivers one event of a trade after its first attempt failed:
// with growing pauses for a day, then it is a dead letter that an operator
// can have sent again.
func TradeEvent(ctx workflow.Context, in TradeEventInput) error {
	run := &tradeEventRun{in: in, made: 1, next: in.Next, open: !in.Again}
	if err := workflow.SetUpdateHandler(ctx, RedeliverUpdate, run.reopen); err != nil {
		return err
	}
	if err := run.begin(ctx); err != nil {
		return err
	}
	for run.open {
		run.open, run.busy = false, true
		if err := run.attempts(ctx); err != nil {
			return err
		}
		run.busy = false
		if err := finishUpdates(ctx); err != nil {
			return err
		}
		if err := run.takeUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

type tradeEventRun struct {
	in TradeEventInput
	// before is how many attempts there were before this round, made how many
	// in it, next when another is due.
	before, made int
	next         time.Time
	// open is set when attempts are to be made, busy while they are.
	open, busy bool
	refused    bool
	// outcomeUnknown is set when an update was refused meanwhile. It may have been the
	// second run of one that had written already.
	outcomeUnknown bool
}

// begin returns when there are attempts to be made, or none. The update that a
// run was started with can be lost with the process that sent it: whoever
// started the run wanted the event sent, so it is opened all the same.
func (r *tradeEventRun) begin(ctx workflow.Context) error {
	decided := func() bool { return r.open || r.refused }
	if !r.in.Again || workflow.GetVersion(ctx, reopenChange, workflow.DefaultVersion, 1) == workflow.DefaultVersion {
		return workflow.Await(ctx, decided)
	}
	if err := awaitNews(ctx, decided, Unasked); err != nil || decided() {
		return err
	}
	return unlessRefused(r.openAs(ctx, activities.ReopenTradeEvent{Idle: true}))
}

// takeUp opens what an update has left pending meanwhile.
func (r *tradeEventRun) takeUp(ctx workflow.Context) error {
	if !r.outcomeUnknown || r.open {
		return nil
	}
	r.outcomeUnknown = false
	return unlessRefused(r.openAs(ctx, activities.ReopenTradeEvent{Left: true}))
}

// reopen is the update by which an operator has the event sent again.
func (r *tradeEventRun) reopen(ctx workflow.Context) error {
	busy := r.busy || r.open
	err := r.openAs(ctx, activities.ReopenTradeEvent{Idle: !busy})
	if err != nil {
		r.refused, r.outcomeUnknown = true, r.outcomeUnknown || busy
	}
	return err
}

func (r *tradeEventRun) openAs(ctx workflow.Context, as activities.ReopenTradeEvent) error {
	var a *activities.Webhooks
	var before int
	as.EventID, as.Now = r.in.EventID, now(ctx)
	if err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.ReopenTradeEvent, as).Get(ctx, &before); err != nil {
		return err
	}
	r.before, r.made, r.next, r.open = before, 0, now(ctx), true
	return nil
}

func (r *tradeEventRun) attempts(ctx workflow.Context) error {
	for {
		if err := workflow.Sleep(ctx, max(r.next.Sub(workflow.Now(ctx)), 0)); err != nil {
			return err
		}
		r.made++
		outcome, err := attemptEvent(ctx, r.in.EventID, r.before+r.made, r.made)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("attempt %d: %s", r.before+r.made, outcome.Status))
		if outcome.Status != webhook.Pending {
			return workflow.UpsertTypedSearchAttributes(ctx, DeliveryStatusKey.ValueSet(string(outcome.Status)))
		}
		r.next = outcome.Next
	}
}

func attemptEvent(ctx workflow.Context, eventID int64, attempt, round int) (outcome activities.EventAttempt, err error) {
	var a *activities.Webhooks
	err = workflow.ExecuteActivity(attemptContext(ctx), a.AttemptTradeEvent, activities.AttemptTradeEvent{
		EventID: eventID, Attempt: attempt, Round: round,
	}).Get(ctx, &outcome)
	return outcome, err
}

// attemptFirst makes the first attempt of an event and hands one that failed
// to a workflow of its own, which outlives the trade's.
func attemptFirst(ctx workflow.Context, eventID int64) error {
	outcome, err := attemptEvent(ctx, eventID, 1, 1)
	if err != nil || outcome.Status != webhook.Pending {
		return err
	}
	child := workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID:            TradeEventWorkflowID(eventID),
		ParentClosePolicy:     enumspb.PARENT_CLOSE_POLICY_ABANDON,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE,
	})
	err = workflow.ExecuteChildWorkflow(child, TradeEvent, TradeEventInput{EventID: eventID, Next: outcome.Next}).
		GetChildWorkflowExecution().Get(ctx, nil)
	if _, running := errors.AsType[*temporal.ChildWorkflowExecutionAlreadyStartedError](err); running {
		return nil
	}
	return err
}
