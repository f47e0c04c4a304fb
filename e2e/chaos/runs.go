package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"github.com/durapay/durapay/e2e/fixture"
)

// newest is how many open runs of a type are chosen from, the newest ones. The older ones
// are mostly of unpaid charges.
const newest = 5

// restartEvery is the time between two looks of a worker for runs that ended.
const restartEvery = time.Minute

// endRun presses one of the buttons of Temporal's UI: Terminate, Cancel or Reset. While
// Temporal is away it does nothing.
func (w *testbed) endRun(ctx context.Context, x disturbance) {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	list, err := w.temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		PageSize: newest, Query: fmt.Sprintf(`ExecutionStatus = "Running" AND WorkflowType = %q`, x.on),
	})
	if err != nil || len(list.GetExecutions()) == 0 {
		return
	}
	run := list.GetExecutions()[x.index(len(list.GetExecutions()))].GetExecution()
	id, runID := run.GetWorkflowId(), run.GetRunId()
	how := "terminated"
	switch x.pick >> 32 % 3 {
	case 0:
		err = w.temporal.TerminateWorkflow(ctx, id, runID, "chaos")
	case 1:
		how, err = "cancelled", w.temporal.CancelWorkflow(ctx, id, runID)
	default:
		how, err = "reset", fixture.Try(func() { w.reset(ctx, id, runID, x) })
	}
	fixture.Tellf("%s %s: %v", how, id, err)
	w.ended.Store(runID, time.Now())
}

// restarted is when the last run that endRun ended runs again: a worker looks once a
// minute.
func (w *testbed) restarted() (last time.Time) {
	w.ended.Range(func(_, at any) bool {
		if ended, ok := at.(time.Time); ok && ended.Add(restartEvery).After(last) {
			last = ended.Add(restartEvery)
		}
		return true
	})
	return last
}

// reset begins a run again from one of its steps.
func (w *testbed) reset(ctx context.Context, id, runID string, x disturbance) {
	var steps []int64
	history := w.temporal.GetWorkflowHistory(ctx, id, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event := fixture.Must(history.Next())
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			steps = append(steps, event.GetEventId())
		}
	}
	if len(steps) == 0 {
		return
	}
	_, err := w.temporal.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: w.URLs["TEMPORAL_NAMESPACE"], WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: runID}, Reason: "chaos", WorkflowTaskFinishEventId: steps[x.index(len(steps))],
	})
	fixture.Do(err)
}

// failed are the runs that ended failed or timed out, but for those that endRun ended.
func (w *testbed) failed(ctx context.Context) (faults []fixture.Fault) {
	request := &workflowservice.ListWorkflowExecutionsRequest{Query: `ExecutionStatus IN ("Failed", "TimedOut")`}
	for {
		page := fixture.Must(w.temporal.ListWorkflow(ctx, request))
		for _, e := range page.GetExecutions() {
			if _, ours := w.ended.Load(e.GetExecution().GetRunId()); !ours {
				faults = append(faults, fixture.Fault{Kind: fixture.RunFailed, Subject: e.GetExecution().GetWorkflowId(), What: w.why(ctx, e)})
			}
		}
		if request.NextPageToken = page.GetNextPageToken(); len(request.GetNextPageToken()) == 0 {
			return faults
		}
	}
}

// why is what a run failed of.
func (w *testbed) why(ctx context.Context, e *workflow.WorkflowExecutionInfo) string {
	err := w.temporal.GetWorkflow(ctx, e.GetExecution().GetWorkflowId(), e.GetExecution().GetRunId()).Get(ctx, nil)
	return fmt.Sprintf("run %s of %s, %s: %v", e.GetExecution().GetRunId(), e.GetType().GetName(), strings.ToLower(e.GetStatus().String()), err)
}
