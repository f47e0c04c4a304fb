package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/testkit"
)

// deployment is the name that workers with a build ID register.
const deployment = "durapay"

// operate makes a backup, or migrates the schema that is up to date. Either fails
// where PostgreSQL goes away meanwhile, and then an operator would repeat it.
func (w *testbed) operate(ctx context.Context, x disturbance) {
	ctx, cancel := context.WithTimeout(ctx, maxWait)
	defer cancel()
	var err error
	if x.on == backup {
		err = w.backup(ctx)
	} else {
		_, err = w.Stack.Durapay(ctx, "migrate")
	}
	if err != nil {
		fixture.Reportf("the %s was cut off: %v", x.on, firstLine(err))
	}
}

// backup runs the operators' script, which reads the database in one transaction.
func (w *testbed) backup(ctx context.Context) error {
	to, err := url.Parse(w.URLs["DATABASE_URL"])
	if err != nil {
		return err
	}
	folder := filepath.Join(w.Stack.Dir(), "backup")
	defer func() { _ = os.RemoveAll(folder) }()
	password, _ := to.User.Password()
	cmd := exec.CommandContext(ctx, "deploy/postgres/backup.sh", filepath.Join(folder, "databases"), filepath.Join(folder, "secrets"))
	cmd.Env = append(os.Environ(), "RUN=", "DATABASES=durapay", "SECRETS_DIR="+filepath.Join(w.Stack.Dir(), "secrets"),
		"PGHOST="+to.Hostname(), "PGPORT="+to.Port(), "PGUSER="+to.User.Username(), "PGPASSWORD="+password)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w", out, err)
	}
	return nil
}

// takeOver replaces the worker by one with another build ID: a second worker begins, is
// made the current version, and works while the first is replaced.
func (w *testbed) takeOver(ctx context.Context, _ disturbance) {
	ctx, cancel := context.WithTimeout(ctx, fixture.Startup)
	defer cancel()
	w.builds++
	id := "build-" + strconv.Itoa(w.builds)
	end := w.secondWorker(ctx, id)
	fixture.Finally(func() {
		w.makeCurrent(ctx, id)
		w.env["WORKER_BUILD_ID"] = id
		fixture.Do(w.Stack.StopPart(ctx, "worker"))
		w.startPart(ctx, "worker")
	}, end)
}

// secondWorker starts a worker next to the stack's. The function that it returns ends it.
func (w *testbed) secondWorker(ctx context.Context, id string) (end func() error) {
	block := fixture.Must(testkit.ReservePorts())
	port := fixture.Must(block.Port())
	log := fixture.Must(os.Create(filepath.Join(w.Stack.Dir(), "log", "worker-"+id+".log")))
	cmd := w.Stack.Another(context.WithoutCancel(ctx), "worker", map[string]string{
		"WORKER_BUILD_ID": id, "INTERNAL_LISTEN": net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
	})
	cmd.Stdout, cmd.Stderr = log, log
	fixture.Do(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	return func() error {
		_ = cmd.Process.Signal(syscall.SIGTERM) // fails where it has ended
		var err error
		select {
		case err = <-ended:
		case <-time.After(maxWait):
			err = errors.Join(errors.New("it does not stop"), cmd.Process.Kill())
		}
		if err != nil {
			err = fmt.Errorf("the second worker (%s): %w", log.Name(), err)
		}
		return errors.Join(err, log.Close(), block.Close())
	}
}

func (w *testbed) makeCurrent(ctx context.Context, id string) {
	handle := w.temporal.WorkerDeploymentClient().GetHandle(deployment)
	for {
		_, err := handle.SetCurrentVersion(ctx, client.WorkerDeploymentSetCurrentVersionOptions{BuildID: id})
		if err == nil {
			return
		}
		fixture.Reportf("%s is not the current version yet: %v", id, firstLine(err))
		if failed := fixture.Pause(ctx, 5*time.Second); failed != nil {
			fixture.Failf("set the current version: %w", err)
		}
	}
}

// newest is how many open runs of a type are chosen from, the newest ones. The older ones
// are mostly of unpaid charges.
const newest = 5

// restartEvery is the time between two looks of a worker for runs that ended.
const restartEvery = time.Minute

// endRun presses one of the buttons of Temporal's UI: Terminate, Cancel or Reset. While
// Temporal is away it does nothing.
func (w *testbed) endRun(ctx context.Context, x disturbance) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
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
	fixture.Reportf("%s %s: %v", how, id, err)
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
