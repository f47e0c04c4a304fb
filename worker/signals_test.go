package worker_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/deploy/dev/temporaltest"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

// TestBlockStartsTheRunOfAPayoutThatHasNone signals a payout whose workflow has
// ended, as one that was confirmed and is dropped: one run takes up both signals, and
// after its end another one the third.
func TestBlockStartsTheRunOfAPayoutThatHasNone(t *testing.T) {
	t.Parallel()
	workflowClient := temporaltest.New(t)
	signals := worker.Signals{Temporal: workflowClient}
	const payout = "po_0123456789abcdef01234567"
	run := func() string {
		t.Helper()
		require.NoError(t, signals.Payout(t.Context(), payout, "m"))
		is, err := workflowClient.DescribeWorkflowExecution(t.Context(), workflows.PayoutWorkflowID(payout), "")
		require.NoError(t, err)
		require.Equal(t, workflows.MerchantQueue, is.GetExecutionConfig().GetTaskQueue().GetName())
		return is.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	}
	first := run()
	require.Equal(t, first, run())
	require.NoError(t, workflowClient.TerminateWorkflow(t.Context(), workflows.PayoutWorkflowID(payout), "", "ended"))
	require.NotEqual(t, first, run())
}
