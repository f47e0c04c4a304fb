package worker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
)

// unservedAfter is how long a workflow task may wait for a worker before its run is ended.
const unservedAfter = 2 * time.Minute

// forgottenAfter is longer than the pauses between two looks at one run.
const forgottenAfter = time.Hour

// Unserved terminates runs whose workflow task reaches no worker, so that new runs take
// their place. Temporal 1.31 leaves the task of a run undelivered that was reset while
// another build took over. Then the run answers nothing, no signal makes another task, and
// another reset leads to the same. A process that Temporal gives no workflow tasks ends no
// run: such tasks wait for the workers of another build. It is safe for concurrent use.
type Unserved struct {
	Temporal client.Client
	// BuildID is the build of the process, or "" without worker versioning.
	BuildID string
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

// End looks at the runs of some workflows and terminates those whose task has waited since
// an earlier look, for unservedAfter at least. It returns their IDs. A workflow without a
// run is left alone. A second call does nothing more.
func (u *Unserved) End(ctx context.Context, workflowIDs []string) ([]string, error) {
	u.forget()
	ended, failed := make([]bool, len(workflowIDs)), make([]error, len(workflowIDs))
	var group errgroup.Group
	group.SetLimit(startsAtOnce)
	for i, id := range workflowIDs {
		group.Go(func() error {
			ended[i], failed[i] = u.look(ctx, id)
			return nil
		})
	}
	_ = group.Wait()
	var done []string
	for i, id := range workflowIDs {
		if ended[i] {
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
	if served, err := u.takesTasks(ctx); !served || err != nil {
		return false, err
	}
	if err := u.Temporal.TerminateWorkflow(ctx, workflowID, runID, "no worker gets its workflow task"); err != nil {
		return false, fmt.Errorf("end %s: %w", workflowID, err)
	}
	return true, nil
}

// takesTasks reports whether Temporal gives workflow tasks to the build of this process.
// Builds that get a share of the runs before they are current take no part.
func (u *Unserved) takesTasks(ctx context.Context) (bool, error) {
	is, err := u.Temporal.WorkerDeploymentClient().GetHandle(deployment).Describe(ctx, client.WorkerDeploymentDescribeOptions{})
	if _, none := errors.AsType[*serviceerror.NotFound](err); none {
		return u.BuildID == "", nil
	}
	if err != nil {
		return false, fmt.Errorf("look at the deployment %s: %w", deployment, err)
	}
	current := is.Info.RoutingConfig.CurrentVersion
	if current == nil {
		return u.BuildID == "", nil
	}
	return current.BuildID == u.BuildID, nil
}

// forget drops the tasks of runs that were not looked at for long, such as rows that are
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
