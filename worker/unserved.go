package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
)

// unservedAfter is how long a workflow task may wait for a worker before its run is reset.
// Every worker of the process takes such tasks meanwhile.
const unservedAfter = 2 * time.Minute

// forgottenAfter is longer than the pauses between two looks at one run.
const forgottenAfter = time.Hour

// Unserved resets runs whose workflow task reaches no worker. Temporal can lose a task, for
// example that of a run which is reset while another build takes over. Then the run
// answers nothing, and no signal makes another task. A reset does, and keeps what the run
// has recorded. It is safe for concurrent use.
type Unserved struct {
	Temporal  client.Client
	Namespace string
	// Clock is what the waiting is measured with. It is never compared with Temporal's.
	Clock func() time.Time

	mu      sync.Mutex
	waiting map[string]waitingTask
}

// waitingTask is a workflow task that no worker had at the last look.
type waitingTask struct {
	runID string
	// scheduled is Temporal's time of the task, by which it is known.
	scheduled time.Time
	since     time.Time
}

// Reset looks at the runs of some workflows and resets those whose task has waited since
// an earlier look, for unservedAfter at least. It returns their IDs. A workflow without a
// run is left alone. A second call does nothing more, because a new run has a new task.
func (u *Unserved) Reset(ctx context.Context, workflowIDs []string) ([]string, error) {
	u.forget()
	reset, failed := make([]bool, len(workflowIDs)), make([]error, len(workflowIDs))
	var group errgroup.Group
	group.SetLimit(startsAtOnce)
	for i, id := range workflowIDs {
		group.Go(func() error {
			reset[i], failed[i] = u.look(ctx, id)
			return nil
		})
	}
	_ = group.Wait()
	var done []string
	for i, id := range workflowIDs {
		if reset[i] {
			done = append(done, id)
		}
	}
	return done, errors.Join(failed...)
}

func (u *Unserved) look(ctx context.Context, workflowID string) (bool, error) {
	is, err := u.Temporal.DescribeWorkflowExecution(ctx, workflowID, "")
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look at %s: %w", workflowID, err)
	}
	runID := is.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	if !u.waits(workflowID, runID, is.GetPendingWorkflowTask()) {
		return false, nil
	}
	if err := u.reset(ctx, workflowID, runID); err != nil {
		return false, fmt.Errorf("reset %s: %w", workflowID, err)
	}
	return true, nil
}

// forget drops the tasks of runs that nobody has looked at for long, such as rows that are
// not overdue any more.
func (u *Unserved) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	maps.DeleteFunc(u.waiting, func(_ string, t waitingTask) bool { return u.Clock().Sub(t.since) > forgottenAfter })
}

// waits remembers a task that has no worker yet, and reports whether it has had none for
// long. A task that workers had and failed is tried again by Temporal.
func (u *Unserved) waits(workflowID, runID string, task *workflowpb.PendingWorkflowTaskInfo) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if task.GetState() != enumspb.PENDING_WORKFLOW_TASK_STATE_SCHEDULED || task.GetAttempt() > 1 {
		delete(u.waiting, workflowID)
		return false
	}
	now, scheduled := u.Clock(), task.GetScheduledTime().AsTime()
	known, found := u.waiting[workflowID]
	if !found || known.runID != runID || !known.scheduled.Equal(scheduled) {
		if u.waiting == nil {
			u.waiting = map[string]waitingTask{}
		}
		u.waiting[workflowID] = waitingTask{runID: runID, scheduled: scheduled, since: now}
		return false
	}
	return now.Sub(known.since) >= unservedAfter
}

// reset makes a new run from the last task that a worker completed. A run without one has
// recorded nothing and is terminated, so that what starts its workflow starts it again.
func (u *Unserved) reset(ctx context.Context, workflowID, runID string) error {
	const reason = "no worker gets its workflow task"
	completed, err := u.lastCompleted(ctx, workflowID, runID)
	if err != nil {
		return err
	}
	if completed == 0 {
		return u.Temporal.TerminateWorkflow(ctx, workflowID, runID, reason)
	}
	_, err = u.Temporal.ResetWorkflowExecution(ctx, &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: u.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflowID, RunId: runID},
		Reason: reason, WorkflowTaskFinishEventId: completed, RequestId: runID, // one reset, whoever asks
	})
	return err
}

// lastCompleted returns the number of the event by which a worker completed the last task
// of a run; 0 for none.
func (u *Unserved) lastCompleted(ctx context.Context, workflowID, runID string) (last int64, err error) {
	history := u.Temporal.GetWorkflowHistory(ctx, workflowID, runID, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for history.HasNext() {
		event, err := history.Next()
		if err != nil {
			return 0, err
		}
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			last = event.GetEventId()
		}
	}
	return last, nil
}
