package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

const (
	// restartEvery is the time between two searches for runs that ended without having
	// finished.
	restartEvery = time.Minute
	// restartFirst is how far back a search looks at most. The first search of a process
	// looks that far.
	restartFirst = 24 * time.Hour
	// restartAgain is how far before the previous search each search begins, because
	// Temporal lists a run late and its clock may differ.
	restartAgain = 10 * time.Minute
)

// keepRunning restarts runs once a minute, until ctx is done.
func (d Deps) keepRunning(ctx context.Context) {
	ticker := time.NewTicker(restartEvery)
	defer ticker.Stop()
	since, answered := time.Now().Add(-restartFirst), map[string]bool{}
	for {
		since = d.restartEnded(ctx, since, answered)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// restartEnded starts the permanent workflows and the schedules that are missing, and
// every run that ended since a time without having finished. It returns the time at which
// the next search begins.
func (d Deps) restartEnded(ctx context.Context, since time.Time, answered map[string]bool) time.Time {
	ctx, cancel := context.WithTimeout(ctx, restartEvery)
	defer cancel()
	begun := time.Now()
	permanent := errors.Join(d.startPermanent(ctx), d.restoreSchedules(ctx)) // first, because these see payments
	done, err := Reconciler{Temporal: d.Temporal, Clock: time.Now}.RestartEnded(ctx, since, answered)
	if len(done.Started) > 0 {
		d.Log.WarnContext(ctx, "runs had ended before their time, and are started again", slog.Any("started", done.Started))
	}
	if err := errors.Join(permanent, err); err != nil {
		d.Log.WarnContext(ctx, "not every ended run is started again", slog.Any("error", err))
		if oldest := begun.Add(-restartFirst); since.Before(oldest) {
			return oldest
		}
		return since
	}
	return begun.Add(-restartAgain)
}

// RestartEnded restarts each run that ended Failed, Canceled, Terminated or TimedOut
// since a time, unless a later run of its ID runs or has finished. The new run checks its
// row first, so an unnecessary run ends at once. A second call starts nothing. answered
// holds the IDs of the runs that earlier calls have handled. With it, each call after a
// mass termination continues where the previous call was interrupted.
func (r Reconciler) RestartEnded(ctx context.Context, since time.Time, answered map[string]bool) (Reconciled, error) {
	var tasks []task
	found, listed := map[string]bool{}, map[string]bool{}
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: fmt.Sprintf(
		`ExecutionStatus IN ("Failed", "Canceled", "Terminated", "TimedOut") AND CloseTime >= "%s"`, since.UTC().Format(time.RFC3339Nano),
	)}
	for {
		page, err := r.Temporal.ListWorkflow(ctx, request)
		if err != nil {
			return Reconciled{}, fmt.Errorf("list ended runs: %w", err)
		}
		for _, run := range page.GetExecutions() {
			runID := run.GetExecution().GetRunId()
			listed[runID] = true
			t, known := r.taskOfRun(run)
			switch {
			case !known || answered[runID]:
			case found[t.id]: // a later run of it ended too
				answered[runID] = true
			default:
				found[t.id] = true
				t.unlessFinished, t.signal, t.answered = true, "", func() { answered[runID] = true }
				tasks = append(tasks, t)
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			maps.DeleteFunc(answered, func(runID string, _ bool) bool { return !listed[runID] })
			return r.run(ctx, tasks)
		}
	}
}

// taskOfRun returns the task of a run by its ID. It reports false for runs that come back
// by other means: permanent workflows, schedules and witnesses.
func (r Reconciler) taskOfRun(run *workflowpb.WorkflowExecutionInfo) (task, bool) {
	var merchantID string
	if named, found := run.GetSearchAttributes().GetIndexedFields()[workflows.MerchantIDKey.GetName()]; found {
		_ = converter.GetDefaultDataConverter().FromPayload(named, &merchantID) // empty otherwise
	}
	for _, kind := range []struct {
		prefix string
		task   func(id string) task
	}{
		{workflows.ChargeWorkflowID(""), chargeTask},
		{workflows.PayoutWorkflowID(""), func(id string) task { return payoutTask(id, merchantID) }},
		{workflows.RefundWorkflowID(""), func(id string) task { return refundTask(id, merchantID) }},
		{workflows.SwapWorkflowID(""), func(id string) task { return swapTask(id, merchantID) }},
		{workflows.MailWorkflowID(""), mailTask},
		{workflows.DeliveryInput{Receiver: webhook.Merchant}.WorkflowID(), deliveryTask},
		// Before trades, whose prefix it has.
		{workflows.DeliveryInput{Receiver: webhook.Partner}.WorkflowID(), r.partnerTask},
		{workflows.TradeWorkflowID(""), tradeTask},
	} {
		if id, found := strings.CutPrefix(run.GetExecution().GetWorkflowId(), kind.prefix); found {
			return kind.task(id), true
		}
	}
	return task{}, false
}
