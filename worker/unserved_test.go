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
	"github.com/durapay/durapay/internal/witness"
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
	ids := []string{workflows.PoolWorkflowID("live-1"), workflows.ChargeWorkflowID("ch_1")}
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

// A witness that no worker serves is reset and keeps its marks and its journal. A second
// look at the same run resets nothing more.
func TestAWitnessWithoutAWorkerKeepsItsMarks(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	clock := &clockOfTest{now: time.Now()}
	e.deps.Unserved.Clock = clock.read
	id := witness.WorkflowID("live-1")
	start := func() worker.Worker {
		w := worker.New(e.c, lost, worker.Options{})
		w.RegisterWorkflowWithOptions(workflows.Witness, workflow.RegisterOptions{Name: witness.WorkflowType})
		require.NoError(t, w.Start())
		return w
	}
	first := start()
	_, err := e.c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: lost}, witness.WorkflowType, witness.State{})
	require.NoError(t, err)
	place := witness.Temporal{Client: e.c, WalletID: "live-1"}
	mark, entry := witness.Mark{Sends: 1, Addresses: 7}, witness.Entry{Seq: 1, TxHash: "aa"}
	require.NoError(t, place.Raise(t.Context(), mark, &entry))
	first.Stop()
	_, before := e.status(t, id)
	require.NoError(t, e.c.SignalWorkflow(t.Context(), id, "", "anything", nil))
	_, err = e.deps.Unserved.Reset(t.Context(), []string{id})
	require.NoError(t, err)
	clock.now = clock.now.Add(unservedAfter)
	reset, err := e.deps.Unserved.Reset(t.Context(), []string{id})
	require.NoError(t, err)
	require.Equal(t, []string{id}, reset)
	_, after := e.status(t, id)
	require.NotEqual(t, before, after)
	clock.now = clock.now.Add(unservedAfter)
	reset, err = e.deps.Unserved.Reset(t.Context(), []string{id})
	require.NoError(t, err)
	require.Empty(t, reset, "its task is new")
	t.Cleanup(start().Stop)
	got, err := place.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, mark, got)
	entries, err := place.Journal(t.Context(), []string{"aa"})
	require.NoError(t, err)
	require.Contains(t, entries, "aa")
}

// A run whose task fails in every worker is not reset: Temporal tries it again.
func TestARunThatFailsItsTasksIsLeftAlone(t *testing.T) {
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
		reset, err := e.deps.Unserved.Reset(t.Context(), []string{"broken"})
		require.NoError(t, err)
		require.Empty(t, reset)
		clock.now = clock.now.Add(unservedAfter)
	}
}
