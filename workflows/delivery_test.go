package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// again is the input of a run that waits for its update.
func again(in workflows.DeliveryInput) workflows.DeliveryInput {
	in.Again = true
	return in
}

// attempts runs a delivery whose attempts have the given outcomes, each taking
// a while, and returns the pauses between the end of one and the next.
func attempts(t *testing.T, outcomes ...webhook.Status) (pauses []time.Duration, made []deliveries.AttemptDelivery) {
	t.Helper()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	var ended time.Time
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			if len(made) > 0 {
				pauses = append(pauses, env.Now().Sub(ended).Round(time.Second))
			}
			ended = env.Now()
			made = append(made, in)
			policy, _ := webhook.PolicyOf(webhook.Short)
			next, _ := policy.Next(ended, ended, in.Attempt)
			return deliveries.Attempt{Status: outcomes[len(made)-1], Next: next}, nil
		})
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	return pauses, made
}

func TestDeliveryRetriesAfterFiveAndTenSeconds(t *testing.T) {
	t.Parallel()
	pauses, made := attempts(t, webhook.Pending, webhook.Pending, webhook.Failed)
	require.Equal(t, []time.Duration{5 * time.Second, 10 * time.Second}, pauses)
	require.Len(t, made, 3)
	require.Equal(t, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 3}, made[2])
}

// TestARetryIsMadeNow: a delivery that is asked to retry makes its next attempt at once,
// and the pause after that is its own again.
func TestARetryIsMadeNow(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	var at []time.Duration
	begun := env.Now()
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			at = append(at, env.Now().Sub(begun))
			require.Equal(t, len(at), in.Attempt)
			return deliveries.Attempt{Status: []webhook.Status{webhook.Pending, webhook.Pending, webhook.Failed}[len(at)-1], Next: env.Now().Add(time.Hour)}, nil
		})
	env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.RetrySignal, nil) }, 5*time.Minute)
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []time.Duration{0, 5 * time.Minute, 65 * time.Minute}, at)
}

func TestDeliveryEndsWhenItArrivesOrIsDropped(t *testing.T) {
	t.Parallel()
	_, made := attempts(t, webhook.Delivered)
	require.Len(t, made, 1)
	_, made = attempts(t, webhook.Pending, webhook.Dropped)
	require.Len(t, made, 2)
}

// redelivered runs a delivery that arrives at once, and that a merchant asks to
// have sent again after some attempts.
func redelivered(t *testing.T, in workflows.DeliveryInput, attempts int) (made []deliveries.AttemptDelivery) {
	t.Helper()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(attempts, nil).Once()
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			made = append(made, in)
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.RedeliverUpdate, "1", t)
	}, 0)
	env.ExecuteWorkflow(workflows.Delivery, in)
	require.NoError(t, env.GetWorkflowError())
	return made
}

func TestRedeliveryIsANewRoundThatGoesOnCounting(t *testing.T) {
	t.Parallel()
	made := redelivered(t, again(workflows.DeliveryToMerchant("whd_1")), 3)
	require.Equal(t, []deliveries.AttemptDelivery{{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 4}}, made)
}

// TestRedeliveryAskedForWhileTheRunEnds lets a merchant request a redelivery as soon as
// the outcome is in the log, before the workflow has received it.
func TestRedeliveryAskedForWhileTheRunEnds(t *testing.T) {
	t.Parallel()
	made := redelivered(t, workflows.DeliveryToMerchant("whd_1"), 1)
	require.Equal(t, []deliveries.AttemptDelivery{
		{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 1}, {Receiver: webhook.Merchant, ID: "whd_1", Attempt: 2},
	}, made)
}

func TestPingIsMadeThenDelivered(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.CreatePing) error {
			require.Equal(t, deliveries.CreatePing{DeliveryID: "whd_1", WebhookID: "wh_1", MerchantID: "m", Now: in.Now}, in)
			return nil
		}).Once()
	var made []deliveries.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			made = append(made, in)
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.PingUpdate, "1", t, workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
	}, 0)
	env.ExecuteWorkflow(workflows.Delivery, again(workflows.DeliveryToMerchant("whd_1")))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []deliveries.AttemptDelivery{{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 1}}, made)
}

// TestPingThatWasCommittedButNotHeardOfIsDelivered covers a database that goes
// away between its commit and its answer.
func TestPingThatWasCommittedButNotHeardOfIsDelivered(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(fault())
	env.OnActivity("ReopenDelivery", mock.Anything, mock.MatchedBy(func(in deliveries.ReopenDelivery) bool { return in.Idle })).Return(0, nil).Once()
	env.OnActivity("AttemptDelivery", mock.Anything, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 1}).
		Return(deliveries.Attempt{Status: webhook.Delivered}, nil).Once()
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.PingUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {}, OnComplete: func(any, error) {},
		}, workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
	}, 0)
	env.ExecuteWorkflow(workflows.Delivery, again(workflows.DeliveryToMerchant("whd_1")))
	requireEnded(t, env)
	env.AssertExpectations(t)
}

func TestRefusedPingLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	env.OnActivity("CreatePing", mock.Anything, mock.Anything).Return(
		temporal.NewNonRetryableApplicationError("webhook not found", refusals.Webhook, nil)).Once()
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflowNoRejection(workflows.PingUpdate, "1", t, workflows.Ping{WebhookID: "wh_1", MerchantID: "m"})
	}, 0)
	env.ExecuteWorkflow(workflows.Delivery, again(workflows.DeliveryToMerchant("whd_1")))
	require.True(t, env.IsWorkflowCompleted())
	require.NoError(t, env.GetWorkflowError())
}

// TestRedeliveryWhoseUpdateWasLostIsMadeAllTheSame starts the run as an API
// does that dies before its update arrives.
func TestRedeliveryWhoseUpdateWasLostIsMadeAllTheSame(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"left behind": false, "no such delivery": true} {
		env := environment()
		env.RegisterActivity(&deliveries.Handler{})
		env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(
			func(_ context.Context, in deliveries.ReopenDelivery) (int, error) {
				require.True(t, in.Idle, "one that is pending is taken up")
				if gone {
					return 0, temporal.NewNonRetryableApplicationError("no", refusals.Delivery, nil)
				}
				return 3, nil
			}).Once()
		made := 0
		env.OnActivity("AttemptDelivery", mock.Anything, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 4}).Return(
			func(context.Context, deliveries.AttemptDelivery) (deliveries.Attempt, error) {
				made++
				return deliveries.Attempt{Status: webhook.Delivered}, nil
			})
		env.ExecuteWorkflow(workflows.Delivery, again(workflows.DeliveryToMerchant("whd_1")))
		require.NoError(t, env.GetWorkflowError(), name)
		require.Equal(t, map[bool]int{false: 1, true: 0}[gone], made, name)
	}
}

// TestRedeliveryThatWasWrittenAndRefusedIsTakenUp lets the worker die after it wrote a
// redelivery during a round. The second try of the activity is refused, and the delivery
// that the first left pending is sent after the round.
func TestRedeliveryThatWasWrittenAndRefusedIsTakenUp(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	var asked []deliveries.ReopenDelivery
	env.OnActivity("ReopenDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.ReopenDelivery) (int, error) {
			in.Now = time.Time{}
			if asked = append(asked, in); in.Left {
				return 1, nil
			}
			return 0, temporal.NewNonRetryableApplicationError("pending", refusals.Delivery, nil)
		})
	var made []deliveries.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			if made = append(made, in); len(made) == 1 {
				return deliveries.Attempt{Status: webhook.Pending, Next: env.Now().Add(5 * time.Second)}, nil
			}
			return deliveries.Attempt{Status: webhook.Delivered}, nil
		})
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.RedeliverUpdate, "1", &testsuite.TestUpdateCallback{
			OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
			OnComplete: func(_ any, err error) { require.Error(t, err) },
		})
	}, time.Second) // during the pause of five seconds
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	require.Equal(t, []deliveries.ReopenDelivery{{Receiver: webhook.Merchant, ID: "whd_1"}, {Receiver: webhook.Merchant, ID: "whd_1", Left: true}}, asked)
	require.Equal(t, []deliveries.AttemptDelivery{
		{Receiver: webhook.Merchant, ID: "whd_1", Attempt: 1}, {Receiver: webhook.Merchant, ID: "whd_1", Attempt: 2}, {Receiver: webhook.Merchant, ID: "whd_1", Attempt: 2},
	}, made)
}

// TestAttemptThatFindsNoPlaceIsNotUsedUp has a receiver that has its share of the running
// attempts. The same attempt is repeated, and the pauses between attempts do not change.
func TestAttemptThatFindsNoPlaceIsNotUsedUp(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&deliveries.Handler{})
	var made []deliveries.AttemptDelivery
	env.OnActivity("AttemptDelivery", mock.Anything, mock.Anything).Return(
		func(_ context.Context, in deliveries.AttemptDelivery) (deliveries.Attempt, error) {
			made = append(made, in)
			switch {
			case len(made)%2 == 1:
				return deliveries.Attempt{}, temporal.NewApplicationErrorWithOptions("busy", deliveries.BusyType,
					temporal.ApplicationErrorOptions{NextRetryDelay: time.Second})
			case len(made) < 6:
				return deliveries.Attempt{Status: webhook.Pending}, nil
			default:
				return deliveries.Attempt{Status: webhook.Delivered}, nil
			}
		})
	env.ExecuteWorkflow(workflows.Delivery, workflows.DeliveryToMerchant("whd_1"))
	require.NoError(t, env.GetWorkflowError())
	var numbers []int
	for _, in := range made {
		numbers = append(numbers, in.Attempt)
	}
	require.Equal(t, []int{1, 1, 2, 2, 3, 3}, numbers)
}
