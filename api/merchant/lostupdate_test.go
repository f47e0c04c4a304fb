package merchant_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/workflows"
)

// TestAnUpdateIsNotLostToASignalAtTheEndOfItsRun sends a signal to a run while an update completes
// it. Temporal then drops the update, and the client sends it again.
func TestAnUpdateIsNotLostToASignalAtTheEndOfItsRun(t *testing.T) {
	t.Parallel()
	client := stack.NewTemporal(t)
	const refundID = "rf_0123456789abcdef01234567"
	var claims atomic.Int64
	claim := func(ctx context.Context) error {
		if claims.Add(1) > 1 {
			return nil
		}
		return client.SignalWorkflow(ctx, workflows.RefundWorkflowID(refundID), "", workflows.FundsSignal, nil)
	}
	w := worker.New(client, workflows.MerchantQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.RefundInput) error {
		over := false
		err := workflow.SetUpdateHandler(ctx, workflows.ClaimRefundUpdate, func(ctx workflow.Context, req workflows.ClaimRefund) (workflows.ClaimedRefund, error) {
			over = true
			ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: time.Minute})
			return workflows.ClaimedRefund{ClaimID: req.ClaimID}, workflow.ExecuteLocalActivity(ctx, claim).Get(ctx, nil)
		})
		if err != nil {
			return err
		}
		return workflow.Await(ctx, func() bool { return over && workflow.AllHandlersFinished(ctx) })
	}, workflow.RegisterOptions{Name: "Refund"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	made, err := service.Workflows{Client: client, MinWait: maxWait}.ClaimRefund(t.Context(), "m", refundID, workflows.ClaimRefund{ClaimID: "rc_1"})
	require.NoError(t, err)
	require.Equal(t, "rc_1", made)
	require.GreaterOrEqual(t, claims.Load(), int64(2))
}
