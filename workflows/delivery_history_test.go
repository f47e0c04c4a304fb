package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// TestHistoryOfADeliveryIsShort makes every attempt of each policy on a real Temporal,
// its pauses cut to nothing. A history may have 51,200 events and 50 MB, and is warned
// of from 10,240 events and 10 MB on.
func TestHistoryOfADeliveryIsShort(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	for retries, most := range map[webhook.Retries]int64{webhook.Long: 32, webhook.AsBTCPay: 9, webhook.Short: 3} {
		policy, _ := webhook.PolicyOf(retries)
		made := int64(0)
		w := worker.New(c, workflows.WebhookQueue, worker.Options{DisableWorkflowWorker: true})
		w.RegisterActivityWithOptions(func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			made++
			if _, more := policy.Next(time.Now(), time.Now(), in.Attempt); !more {
				return deliveries.Attempt{Status: webhook.Failed}, nil
			}
			return deliveries.Attempt{Status: webhook.Pending, Next: time.Now().Add(20 * time.Millisecond)}, nil
		}, activity.RegisterOptions{Name: "AttemptDelivery"})
		require.NoError(t, w.Start())
		own := worker.New(c, workflows.MerchantQueue, worker.Options{})
		own.RegisterWorkflow(workflows.Delivery)
		own.RegisterActivityWithOptions(func(context.Context, deliveries.FindDelivery) (deliveries.State, error) {
			return deliveries.State{Pending: true}, nil
		}, activity.RegisterOptions{Name: "FindDelivery"})
		require.NoError(t, own.Start())
		id := "webhook-" + string(retries)
		run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.MerchantQueue},
			workflows.Delivery, workflows.DeliveryToMerchant("whd_0123456789abcdef01234567"))
		require.NoError(t, err)
		require.NoError(t, run.Get(t.Context(), nil))
		own.Stop()
		w.Stop()
		require.Equal(t, most, made)
		described, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		require.NoError(t, err)
		events, size := described.GetWorkflowExecutionInfo().GetHistoryLength(), described.GetWorkflowExecutionInfo().GetHistorySizeBytes()
		t.Logf("%s: %d attempts, %d events, %d bytes", retries, made, events, size)
		require.Less(t, events, 20*(most+1))
		require.Less(t, size, 4096*(most+1))
	}
}
