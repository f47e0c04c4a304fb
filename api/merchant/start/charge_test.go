package start_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/deploy/dev/temporaltest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/workflows"
)

// If a charge's run was ended while its row in workflow_starts was still there, the workflow
// starts a second time. A run that has finished does not start again.
func TestChargeWhoseRunWasEndedIsStartedAgain(t *testing.T) {
	t.Parallel()
	c := temporaltest.New(t)
	w := worker.New(c, workflows.MerchantQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.ChargeInput) error {
		workflow.GetSignalChannel(ctx, workflows.PaymentsSignal).Receive(ctx, nil)
		return nil
	}, workflow.RegisterOptions{Name: "Charge"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	row := db.WorkflowStart{ID: "ch_1", Kind: "charge", MerchantID: "m1", Mode: "live"}
	id := workflows.ChargeWorkflowID(row.ID)
	begin := start.Workflows{Client: c}
	status := func() enumspb.WorkflowExecutionStatus {
		is, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		require.NoError(t, err)
		return is.GetWorkflowExecutionInfo().GetStatus()
	}
	require.NoError(t, begin.Wanted(t.Context(), row))
	require.NoError(t, c.TerminateWorkflow(t.Context(), id, "", "an operator"))
	require.NoError(t, begin.Wanted(t.Context(), row))
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, status())
	require.NoError(t, c.SignalWorkflow(t.Context(), id, "", workflows.PaymentsSignal, nil))
	require.NoError(t, c.GetWorkflow(t.Context(), id, "").Get(t.Context(), nil))
	require.NoError(t, begin.Wanted(t.Context(), row))
	require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED, status())
}
