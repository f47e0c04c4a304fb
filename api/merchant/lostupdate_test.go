package merchant_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/deploy/dev/temporaltest"
	"github.com/durapay/durapay/workflows"
)

// TestAnUpdateIsNotLostToNewsAtTheEndOfItsRun sends a signal to a run while an update completes
// it. Temporal then drops the update, and the client sends it again.
func TestAnUpdateIsNotLostToNewsAtTheEndOfItsRun(t *testing.T) {
	t.Parallel()
	client := temporaltest.New(t)
	in := workflows.RefundInput{RefundID: "rf_0123456789abcdef01234567", MerchantID: "m"}
	var decided atomic.Int64
	decide := func(ctx context.Context) error {
		if decided.Add(1) > 1 {
			return nil
		}
		return client.SignalWorkflow(ctx, workflows.RefundWorkflowID(in.RefundID), "", workflows.FundsSignal, nil)
	}
	w := worker.New(client, workflows.MerchantQueue, worker.Options{})
	w.RegisterWorkflowWithOptions(func(ctx workflow.Context, _ workflows.RefundInput) error {
		over := false
		err := workflow.SetUpdateHandler(ctx, workflows.CancelRefundUpdate, func(ctx workflow.Context, _ workflows.ChangeRefund) error {
			over = true
			ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: time.Minute})
			return workflow.ExecuteLocalActivity(ctx, decide).Get(ctx, nil)
		})
		if err != nil {
			return err
		}
		return workflow.Await(ctx, func() bool { return over && workflow.AllHandlersFinished(ctx) })
	}, workflow.RegisterOptions{Name: "Refund"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	require.NoError(t, start.Workflows{Client: client}.CancelRefund(t.Context(), in, workflows.ChangeRefund{}))
	require.EqualValues(t, 2, decided.Load())
}
