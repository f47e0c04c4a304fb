package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// attempts runs a delivery whose attempts have the given outcomes, each taking
// a while, and returns the pauses between the end of one and the next.
func attempts(t *testing.T, outcomes ...webhook.Status) (pauses []time.Duration, made []activities.AttemptDelivery) {
	t.Helper()
	env := environment()
	env.RegisterActivity(&activities.Webhooks{})
	var ended time.Time
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.AttemptDelivery) (activities.Attempt, error) {
			if len(made) > 0 {
				pauses = append(pauses, env.Now().Sub(ended).Round(time.Second))
			}
			ended = env.Now()
			made = append(made, in)
			return activities.Attempt{Status: outcomes[len(made)-1]}, nil
		})
	env.ExecuteWorkflow(workflows.Webhook, workflows.WebhookInput{DeliveryID: "whd_1"})
	require.NoError(t, env.GetWorkflowError())
	return pauses, made
}

func TestDeliveryRetriesAfterFiveAndTenSeconds(t *testing.T) {
	t.Parallel()
	pauses, made := attempts(t, webhook.Pending, webhook.Pending, webhook.Failed)
	require.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second}, pauses)
	require.Len(t, made, webhook.MaxAttempts)
	require.Equal(t, activities.AttemptDelivery{DeliveryID: "whd_1", Attempt: 3, Round: 3}, made[2])
}

func TestDeliveryEndsWhenItArrivesOrIsDropped(t *testing.T) {
	t.Parallel()
	_, made := attempts(t, webhook.Delivered)
	require.Len(t, made, 1)
	_, made = attempts(t, webhook.Pending, webhook.Dropped)
	require.Len(t, made, 2)
}

func TestRedeliveryIsANewRoundThatGoesOnCounting(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&activities.Webhooks{})
	env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(3, nil).Once()
	var made []activities.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.AttemptDelivery) (activities.Attempt, error) {
			made = append(made, in)
			return activities.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.RedeliverUpdate, "1", t)
	}, 0)
	env.ExecuteWorkflow(workflows.Webhook, workflows.WebhookInput{DeliveryID: "whd_1", Again: true})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []activities.AttemptDelivery{{DeliveryID: "whd_1", Attempt: 4, Round: 1}}, made)
}

// TestRedeliveryAskedForWhileTheRunEnds lets a merchant ask as soon as the
// outcome is in the log, before the workflow has heard of it.
func TestRedeliveryAskedForWhileTheRunEnds(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&activities.Webhooks{})
	env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(1, nil).Once()
	var made []activities.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.AttemptDelivery) (activities.Attempt, error) {
			made = append(made, in)
			return activities.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.RedeliverUpdate, "1", t)
	}, 0)
	env.ExecuteWorkflow(workflows.Webhook, workflows.WebhookInput{DeliveryID: "whd_1"})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []activities.AttemptDelivery{
		{DeliveryID: "whd_1", Attempt: 1, Round: 1}, {DeliveryID: "whd_1", Attempt: 2, Round: 1},
	}, made)
}

func TestPingIsMadeThenDelivered(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&activities.Webhooks{})
	env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.CreatePing) error {
			require.Equal(t, activities.CreatePing{DeliveryID: "whd_1", WebhookID: "wh_1", MerchantID: "m", Now: in.Now}, in)
			return nil
		}).Once()
	var made []activities.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in activities.AttemptDelivery) (activities.Attempt, error) {
			made = append(made, in)
			return activities.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.PingUpdate, "1", t, workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
	}, 0)
	env.ExecuteWorkflow(workflows.Webhook, workflows.WebhookInput{DeliveryID: "whd_1", Again: true})
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []activities.AttemptDelivery{{DeliveryID: "whd_1", Attempt: 1, Round: 1}}, made)
}

func TestRefusedPingLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&activities.Webhooks{})
	env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("webhook not found", activities.RefusedWebhook, nil)).Once()
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.PingUpdate, "1", t, workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
	}, 0)
	env.ExecuteWorkflow(workflows.Webhook, workflows.WebhookInput{DeliveryID: "whd_1", Again: true})
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}
