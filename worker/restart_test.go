package worker

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// The signals that the runs of the tests end by.
const failSignal, finishSignal = "fail", "finish"

// waitsForItsEnd stands for every workflow: it runs until it is ended.
func waitsForItsEnd(ctx workflow.Context, _ converter.RawValue) error {
	var err error
	workflow.NewSelector(ctx).
		AddReceive(ctx.Done(), func(workflow.ReceiveChannel, bool) { err = ctx.Err() }).
		AddReceive(workflow.GetSignalChannel(ctx, failSignal), func(workflow.ReceiveChannel, bool) { err = fmt.Errorf("a fault that lasts") }).
		AddReceive(workflow.GetSignalChannel(ctx, finishSignal), func(workflow.ReceiveChannel, bool) {}).
		Select(ctx)
	return err
}

// ended are the runs of a namespace that operators end.
type ended struct {
	deps      Deps
	c         client.Client
	namespace string
}

func openEnded(t *testing.T) ended {
	t.Helper()
	address, namespace := stack.TemporalAt(t)
	log := slog.New(slog.DiscardHandler)
	c, err := client.DialContext(t.Context(), client.Options{HostPort: address, Namespace: namespace, Logger: log})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	for _, queue := range []string{workflows.MerchantQueue, workflows.ExchangeQueue} {
		w := worker.New(c, queue, worker.Options{})
		for _, name := range []string{
			"Charge", "Payout", "Refund", "Swap", "Mail", "Delivery", "Trade", "Watch", "Pool", "Consolidate",
			"Overdue", "Retention", "Notices", "Witness",
		} {
			w.RegisterWorkflowWithOptions(waitsForItsEnd, workflow.RegisterOptions{Name: name})
		}
		require.NoError(t, w.Start())
		t.Cleanup(w.Stop)
	}
	return ended{c: c, namespace: namespace, deps: Deps{
		Rooms: activities.Rooms{Mails: &mails.Handler{Sender: &notice.Sender{}}}, Temporal: c, PruneEvery: time.Hour,
		Unserved:  &Unserved{Temporal: c, Clock: time.Now},
		WalletIDs: []string{"live-1"}, ChainIDs: []string{"xmr-Mainnet"}, Log: log,
		Exchange: &Exchange{WalletIDs: []string{"xmr"}},
	}}
}

func (e ended) status(t *testing.T, id string) (status enumspb.WorkflowExecutionStatus, runID string) {
	t.Helper()
	is, err := e.c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	info := is.GetWorkflowExecutionInfo()
	return info.GetStatus(), info.GetExecution().GetRunId()
}

// await returns once the newest run of an ID has a status. It presses the minute until
// then, because Temporal lists a run a moment after its end.
func (e ended) await(t *testing.T, id string, want enumspb.WorkflowExecutionStatus, press bool) {
	t.Helper()
	within, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	for {
		is, _ := e.status(t, id)
		if is == want {
			return
		}
		require.NoError(t, within.Err(), "%s is %s", id, is)
		if press {
			e.minute(t)
		}
	}
}

// minute does a worker's work of one minute, and again after a call that failed.
func (e ended) minute(t *testing.T) {
	t.Helper()
	since, done := time.Now().Add(-time.Hour), map[string]bool{}
	require.Eventually(t, func() bool { return e.deps.restartEnded(t.Context(), since, done).After(since) }, maxWait, time.Millisecond)
}

// byHand are the ways in which a run ends before its time.
func (e ended) byHand(t *testing.T) map[string]func(id string) {
	t.Helper()
	ctx := t.Context()
	return map[string]func(id string){
		"terminated": func(id string) {
			require.NoError(t, e.c.TerminateWorkflow(ctx, id, "", "an operator"))
			e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, false)
		},
		"canceled": func(id string) {
			require.NoError(t, e.c.CancelWorkflow(ctx, id, ""))
			e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED, false)
		},
		"failed": func(id string) {
			require.NoError(t, e.c.SignalWorkflow(ctx, id, "", failSignal, nil))
			e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, false)
		},
	}
}

// rows are one row of each kind.
func rows() (list []dispatch.Row) {
	for _, kind := range append(outbox.OverdueKinds(), outbox.Mails, outbox.Refunds) {
		list = append(list, dispatch.Row{Kind: kind, ID: "1", MerchantID: "m1"})
	}
	return list
}

func (e ended) input(t *testing.T, id string) string {
	t.Helper()
	first, err := e.c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	require.NoError(t, err)
	return converter.GetDefaultDataConverter().ToStrings(first.GetWorkflowExecutionStartedEventAttributes().GetInput())[0]
}

// However an operator ends the run of a row, it runs again after a minute, with the same
// input. A finished run stays finished.
func TestRunsThatAreEndedComeBack(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	for how, end := range e.byHand(t) {
		for _, row := range rows() {
			id := row.WorkflowID()
			t.Run(how+" "+id, func(t *testing.T) {
				started, err := dispatch.Dispatcher{Client: e.c}.Start(t.Context(), row, dispatch.UnlessRunning)
				require.NoError(t, err)
				require.True(t, started)
				before := e.input(t, id)
				end(id)
				e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, true)
				require.JSONEq(t, before, e.input(t, id))
				_, run := e.status(t, id)
				e.minute(t)
				_, same := e.status(t, id)
				require.Equal(t, run, same, "one that runs is left alone")
				require.NoError(t, e.c.SignalWorkflow(t.Context(), id, "", finishSignal, nil))
				e.await(t, id, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, false)
				e.minute(t)
				is, _ := e.status(t, id)
				require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, is)
			})
		}
	}
}

// A permanent workflow comes back within a minute too, and so does a schedule that an
// operator deleted.
func TestWhatAlwaysRunsComesBack(t *testing.T) {
	t.Parallel()
	e := openEnded(t)
	e.minute(t)
	permanent := []string{
		workflows.WatchWorkflowID("xmr-Mainnet"), workflows.PoolWorkflowID("live-1"), workflows.WatchWorkflowID(charge.SimulatedWallet),
		workflows.PoolWorkflowID("xmr"), workflows.ConsolidateWorkflowID("xmr"),
	}
	for how, end := range e.byHand(t) {
		for _, id := range permanent {
			t.Run(how+" "+id, func(t *testing.T) {
				end(id)
				e.minute(t)
				is, _ := e.status(t, id)
				require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, is)
			})
		}
	}
	for _, id := range []string{workflows.OverdueWorkflowID, workflows.RetentionWorkflowID, workflows.NoticesWorkflowID} {
		t.Run("deleted "+id, func(t *testing.T) {
			handle := e.c.ScheduleClient().GetHandle(t.Context(), id)
			require.NoError(t, handle.Pause(t.Context(), client.SchedulePauseOptions{}))
			e.minute(t)
			is, err := handle.Describe(t.Context())
			require.NoError(t, err)
			require.True(t, is.Schedule.State.Paused, "a pause stays")
			require.NoError(t, handle.Delete(t.Context()))
			within, cancel := context.WithTimeout(t.Context(), maxWait)
			defer cancel()
			for is, err = handle.Describe(t.Context()); err != nil || is.Schedule.State.Paused; is, err = handle.Describe(t.Context()) {
				require.NoError(t, within.Err(), "the schedule is not back")
				e.minute(t)
			}
		})
	}
}

// A reset makes a new run by itself. The minute leaves that alone.
func TestRunThatIsResetContinues(t *testing.T) {
	t.Parallel()
	e, id := openEnded(t), workflows.ChargeWorkflowID("ch_1")
	_, err := e.c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.MerchantQueue},
		workflows.Charge, workflows.ChargeInput{ChargeID: "ch_1"})
	require.NoError(t, err)
	_, before := e.status(t, id)
	events := e.c.GetWorkflowHistory(t.Context(), id, before, true, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	finish := int64(0)
	for finish == 0 {
		event, err := events.Next()
		require.NoError(t, err)
		if event.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED {
			finish = event.GetEventId()
		}
	}
	_, err = e.c.ResetWorkflowExecution(t.Context(), &workflowservice.ResetWorkflowExecutionRequest{
		Namespace: e.namespace, RequestId: "reset", WorkflowTaskFinishEventId: finish,
		WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: id, RunId: before},
	})
	require.NoError(t, err)
	_, after := e.status(t, id)
	require.NotEqual(t, before, after)
	e.minute(t)
	is, same := e.status(t, id)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, is)
	require.Equal(t, after, same)
}
