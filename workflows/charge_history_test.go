package workflows_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// mostTransitions is the cost of a charge in Temporal if no events happen to coincide:
// three looks with a signal each, and six attempts with a task each. When each delivery
// had a run, it was 88 to 90.
const mostTransitions = 40

// TestAChargeCostsFewTransitions carries a charge on a real Temporal, with two receivers
// of each of three events that accept every delivery at once. None of the deliveries has
// a run of its own.
func TestAChargeCostsFewTransitions(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	var step, attempts atomic.Int32
	own := worker.New(c, workflows.MerchantQueue, worker.Options{})
	own.RegisterWorkflow(workflows.Charge)
	own.RegisterWorkflow(workflows.Delivery)
	own.RegisterActivityWithOptions(func(context.Context, incoming.AdvanceCharge) (incoming.ChargeState, error) {
		now := step.Load()
		state := incoming.ChargeState{
			MerchantID: "m", Status: charge.Pending, ExpiresAt: time.Now().Add(time.Hour),
			Deliveries: []string{fmt.Sprintf("whd_%d_0", now), fmt.Sprintf("whd_%d_1", now)},
		}
		if state.Received = 1; now == 2 {
			state.Status = charge.Confirmed
		}
		return state, nil
	}, activity.RegisterOptions{Name: "AdvanceCharge"})
	require.NoError(t, own.Start())
	t.Cleanup(own.Stop)
	w := worker.New(c, workflows.WebhookQueue, worker.Options{DisableWorkflowWorker: true})
	w.RegisterActivityWithOptions(func(context.Context, deliveries.AttemptDelivery) (deliveries.Attempt, error) {
		attempts.Add(1)
		return deliveries.Attempt{Status: webhook.Delivered}, nil
	}, activity.RegisterOptions{Name: "AttemptDelivery"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	in := input()
	id := workflows.ChargeWorkflowID(in.ChargeID)
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.MerchantQueue}, workflows.Charge, in)
	require.NoError(t, err)
	for now := range int32(2) {
		require.Eventually(t, func() bool { return attempts.Load() == 2*(now+1) }, maxWait, 10*time.Millisecond)
		step.Store(now + 1)
		require.NoError(t, c.SignalWorkflow(t.Context(), id, "", workflows.PaymentsSignal, nil))
	}
	require.NoError(t, run.Get(t.Context(), nil))
	require.EqualValues(t, 6, attempts.Load())
	described, err := c.DescribeWorkflowExecution(t.Context(), id, run.GetRunID())
	require.NoError(t, err)
	transitions := described.GetWorkflowExecutionInfo().GetStateTransitionCount()
	t.Logf("%d transitions, %d events", transitions, described.GetWorkflowExecutionInfo().GetHistoryLength())
	require.LessOrEqual(t, transitions, int64(mostTransitions))
	_, err = c.DescribeWorkflowExecution(t.Context(), workflows.DeliveryToMerchant("whd_0_0").WorkflowID(), "")
	require.Error(t, err, "a delivery has a run of its own")
}
