package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"time"

	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"

	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
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

// restartEnded ends the permanent workflows that no worker serves, starts those and the
// schedules that are missing, and every run that ended since a time without having finished.
// It returns the time at which the next search begins.
func (d Deps) restartEnded(ctx context.Context, since time.Time, answered map[string]bool) time.Time {
	ctx, cancel := context.WithTimeout(ctx, restartEvery)
	defer cancel()
	begun := time.Now()
	permanent := errors.Join(d.endUnserved(ctx), d.startPermanent(ctx), d.restoreSchedules(ctx)) // first, because these see payments
	done, err := Reconciler{Temporal: d.Temporal}.RestartEnded(ctx, since, answered)
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
			runID, workflowID := run.GetExecution().GetRunId(), run.GetExecution().GetWorkflowId()
			listed[runID] = true
			row, known := rowOfRun(run)
			switch {
			case !known || answered[runID]:
			case found[workflowID]: // a later run of it ended too
				answered[runID] = true
			default:
				found[workflowID] = true
				tasks = append(tasks, task{row: row, unlessFinished: true, answered: func() { answered[runID] = true }})
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			maps.DeleteFunc(answered, func(runID string, _ bool) bool { return !listed[runID] })
			return r.run(ctx, tasks)
		}
	}
}

// rowOfRun returns the row of a run. It reports false for runs that come back by other
// means: permanent workflows, schedules and witnesses.
func rowOfRun(run *workflowpb.WorkflowExecutionInfo) (dispatch.Row, bool) {
	row, known := dispatch.RowOf(run.GetExecution().GetWorkflowId())
	if named, found := run.GetSearchAttributes().GetIndexedFields()[workflows.MerchantIDKey.GetName()]; found {
		_ = converter.GetDefaultDataConverter().FromPayload(named, &row.MerchantID) // empty otherwise
	}
	return row, known
}
