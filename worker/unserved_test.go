package worker

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/workflows"
)

// lost is the queue of workflow tasks that no worker takes: a run on it is like one whose
// task Temporal has lost.
const lost = "lost"

// clockOfTest moves when a test says so.
type clockOfTest struct{ now time.Time }

func (c *clockOfTest) read() time.Time { return c.now }

// A permanent workflow and a row's, whose first task no worker has taken for minutes, are
// ended and start again where workers are. A task that is new is left alone.
func TestARunWithoutAWorkerStartsAgain(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	clock := &clockOfTest{now: time.Now()}
	e.deps.Unserved.Clock = clock.read
	row := outbox.Overdue{Kind: outbox.Charges, ID: "ch_1", MerchantID: "m1"}
	ids := []string{workflows.PoolWorkflowID, "witness-live-1", workflows.ChargeWorkflowID("ch_1")}
	runs := map[string]string{}
	for _, id := range ids {
		run, err := e.c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: lost}, "Pool")
		require.NoError(t, err)
		runs[id] = run.GetRunID()
	}
	wake := Reconciler{Temporal: e.c, Unserved: e.deps.Unserved}.Wake
	look := func() {
		require.NoError(t, wake(t.Context(), []outbox.Overdue{row}))
		e.minute(t)
	}
	look()
	clock.now = clock.now.Add(unservedAfter - time.Second)
	look()
	for _, id := range ids {
		_, run := e.status(t, id)
		require.Equal(t, runs[id], run, "%s may still get a worker", id)
	}
	clock.now = clock.now.Add(time.Second)
	look()
	for _, id := range ids {
		e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, true)
		_, run := e.status(t, id)
		require.NotEqual(t, runs[id], run)
		require.NoError(t, e.c.SignalWorkflow(t.Context(), id, "", finishSignal, nil))
		e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, false)
	}
}

// A run whose task fails in every worker is left alone: Temporal tries it again.
func TestARunThatFailsItsTasksIsNotEnded(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	clock := &clockOfTest{now: time.Now()}
	e.deps.Unserved.Clock = clock.read
	w := worker.New(e.c, lost, worker.Options{})
	w.RegisterWorkflowWithOptions(func(workflow.Context) error { panic("a fault of this build") }, workflow.RegisterOptions{Name: "Broken"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	_, err := e.c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "broken", TaskQueue: lost}, "Broken")
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		is, err := e.c.DescribeWorkflowExecution(t.Context(), "broken", "")
		require.NoError(t, err)
		return is.GetPendingWorkflowTask().GetAttempt() > 1
	}, maxWait, time.Millisecond)
	for range 3 {
		ended, err := e.deps.Unserved.End(t.Context(), []string{"broken"})
		require.NoError(t, err)
		require.Empty(t, ended)
		clock.now = clock.now.Add(unservedAfter)
	}
}

// While Temporal gives workflow tasks to another build, runs wait for that one's workers.
func TestABuildThatGetsNoTasksEndsNoRun(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	clock := &clockOfTest{now: time.Now()}
	u := e.deps.Unserved
	u.Clock = clock.read
	_, err := e.c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "waits", TaskQueue: lost}, "Pool")
	require.NoError(t, err)
	end := func() []string {
		ended, err := u.End(t.Context(), []string{"waits"})
		require.NoError(t, err)
		return ended
	}
	u.BuildID = "next"
	require.Empty(t, end())
	clock.now = clock.now.Add(unservedAfter)
	require.Empty(t, end(), "no build is the current one")

	for _, id := range []string{"this", "next"} {
		w := worker.New(e.c, "versions", Deps{BuildID: id}.options(worker.Options{}))
		w.RegisterWorkflowWithOptions(waitsForItsEnd, workflow.RegisterOptions{Name: "Pool"})
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	makeCurrent := func(id string) {
		handle := e.c.WorkerDeploymentClient().GetHandle(deployment)
		require.Eventually(t, func() bool { // a worker is known a moment after its start
			_, err := handle.SetCurrentVersion(t.Context(), client.WorkerDeploymentSetCurrentVersionOptions{BuildID: id})
			return err == nil
		}, maxWait, time.Millisecond)
	}
	makeCurrent("this")
	require.Empty(t, end(), "another build is the current one")
	u.BuildID = ""
	require.Empty(t, end(), "a build is the current one, and this process has none")
	u.BuildID = "next"
	makeCurrent("next")
	require.Equal(t, []string{"waits"}, end())
}
