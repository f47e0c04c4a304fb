package dispatch_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/workflows"
	"github.com/durapay/durapay/workflows/dispatch"
)

// TestRowsOfWorkflowIDs: the ID of a workflow names its row. Workflows without a row have none.
func TestRowsOfWorkflowIDs(t *testing.T) {
	t.Parallel()
	for _, kind := range []outbox.Kind{
		outbox.Charges, outbox.Payouts, outbox.Refunds, outbox.Swaps, outbox.Deliveries, outbox.Mails, outbox.Trades, outbox.TradeEvents,
	} {
		row := dispatch.Row{Kind: kind, ID: "1"}
		found, known := dispatch.RowOf(row.WorkflowID())
		require.True(t, known, kind)
		require.Equal(t, row, found)
	}
	for _, id := range []string{workflows.WatchWorkflowID("live-1"), workflows.OverdueWorkflowID, workflows.SanctionsWorkflowID(), "charge-", ""} {
		_, known := dispatch.RowOf(id)
		require.False(t, known, id)
	}
	require.Empty(t, dispatch.Row{Kind: "unknown", ID: "1"}.WorkflowID())
}

func runOf(t *testing.T, c client.Client, id string) (run string, status enumspb.WorkflowExecutionStatus) {
	t.Helper()
	is, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	info := is.GetWorkflowExecutionInfo()
	return info.GetExecution().GetRunId(), info.GetStatus()
}

// TestAWakeupStartsTheRunOfARowThatHasNone: a payout's workflow has ended, as one that was
// confirmed and is dropped. One run takes up two wakeups, and after its end another one the
// third.
func TestAWakeupStartsTheRunOfARowThatHasNone(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	row := dispatch.Row{Kind: outbox.Payouts, ID: "po_1", MerchantID: "m"}
	wake := func() string {
		t.Helper()
		require.NoError(t, dispatch.Dispatcher{Client: c, Eager: true}.Send(t.Context(), outbox.Wakeup{Kind: string(row.Kind), ID: row.ID, Owner: "m", Version: 7}))
		run, _ := runOf(t, c, row.WorkflowID())
		return run
	}
	require.ErrorContains(t, dispatch.Dispatcher{Client: c}.Send(t.Context(), outbox.Wakeup{Kind: "unknown", ID: "1"}), "newer version")
	first := wake()
	require.Equal(t, first, wake())
	is, err := c.DescribeWorkflowExecution(t.Context(), row.WorkflowID(), "")
	require.NoError(t, err)
	require.Equal(t, workflows.MerchantQueue, is.GetExecutionConfig().GetTaskQueue().GetName())
	require.NoError(t, c.TerminateWorkflow(t.Context(), row.WorkflowID(), "", "ended"))
	require.NotEqual(t, first, wake())
}

// TestEachKindIsSentToItsWorkflow: a wakeup starts the workflow of its kind, on the queue of
// its kind. Owners of the exchange's rows are no merchants.
func TestEachKindIsSentToItsWorkflow(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	want := map[outbox.Kind]string{
		outbox.Charges: "Charge", outbox.Payouts: "Payout", outbox.Refunds: "Refund", outbox.Trades: "Trade", outbox.Mails: "Mail",
		outbox.Deliveries: "Delivery", outbox.TradeEvents: "Delivery",
	}
	require.Len(t, outbox.Kinds(), len(want))
	for _, kind := range outbox.Kinds() {
		row := dispatch.Row{Kind: kind, ID: "7"}
		require.NoError(t, dispatch.Dispatcher{Client: c}.Send(t.Context(), outbox.Wakeup{Kind: string(kind), ID: row.ID, Owner: "m", Version: 1}), kind)
		is, err := c.DescribeWorkflowExecution(t.Context(), row.WorkflowID(), "")
		require.NoError(t, err, kind)
		require.Equal(t, want[kind], is.GetWorkflowExecutionInfo().GetType().GetName(), kind)
		ofExchange := kind == outbox.Trades || kind == outbox.TradeEvents
		queue := map[bool]string{true: workflows.ExchangeQueue, false: workflows.MerchantQueue}[ofExchange]
		require.Equal(t, queue, is.GetExecutionConfig().GetTaskQueue().GetName(), kind)
		require.Equal(t, map[bool]string{true: "", false: "m"}[ofExchange], is.GetWorkflowExecutionInfo().GetPriority().GetFairnessKey(), kind)
		_, has := is.GetWorkflowExecutionInfo().GetSearchAttributes().GetIndexedFields()[workflows.MerchantIDKey.GetName()]
		require.Equal(t, !ofExchange, has, kind)
	}
}

// TestNewChargeWhoseRunWasEndedIsStartedAgain: an operator ended the run of a charge while its
// wakeup was still there. The workflow starts again. A finished one does not.
func TestNewChargeWhoseRunWasEndedIsStartedAgain(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	w := worker.New(c, workflows.MerchantQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.ChargeInput) error {
		workflow.GetSignalChannel(ctx, workflows.PaymentsSignal).Receive(ctx, nil)
		return nil
	}, workflow.RegisterOptions{Name: "Charge"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	id, begin := workflows.ChargeWorkflowID("ch_1"), dispatch.Dispatcher{Client: c}
	for range 2 {
		require.NoError(t, begin.Send(t.Context(), outbox.NewCharge("ch_1", "m1")))
	}
	require.NoError(t, c.TerminateWorkflow(t.Context(), id, "", "an operator"))
	require.NoError(t, begin.Send(t.Context(), outbox.NewCharge("ch_1", "m1")))
	_, status := runOf(t, c, id)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status)
	require.NoError(t, c.SignalWorkflow(t.Context(), id, "", workflows.PaymentsSignal, nil))
	require.NoError(t, c.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	require.NoError(t, begin.Send(t.Context(), outbox.NewCharge("ch_1", "m1")))
	_, status = runOf(t, c, id)
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, status)
}
