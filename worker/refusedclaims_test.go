package worker

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/workflows"
)

// mostUpdates is how many updates Temporal takes of one run.
const mostUpdates = 2000

// A customer who has the link of a refund sends as many refused claims as Temporal takes
// for one run. The refund still takes claims.
func TestRefusedClaimsDoNotFreezeARefund(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	w := worker.New(c, workflows.MerchantQueue, Deps{}.options(forWorkflows()))
	w.RegisterWorkflow(workflows.Refund)
	end := time.Now().AddDate(0, 1, 0)
	for name, do := range map[string]any{
		"AdvanceRefund": func(context.Context, payouts.AdvanceRefund) (payouts.RefundState, error) {
			return payouts.RefundState{MerchantID: "m", Status: refund.Open, NextAt: &end}, nil
		},
		"ClaimRefund": func(context.Context, payouts.ClaimRefund) (payouts.ClaimedRefund, error) {
			return payouts.ClaimedRefund{}, refusals.New(refusals.Refund, "not so much is left")
		},
	} {
		w.RegisterActivityWithOptions(do, activity.RegisterOptions{Name: name})
	}
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	id := workflows.RefundWorkflowID("rf_1")
	first, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: id, TaskQueue: workflows.MerchantQueue},
		workflows.Refund, workflows.RefundInput{RefundID: "rf_1", MerchantID: "m"})
	require.NoError(t, err)
	ask := func(name string, arg any) error {
		handle, err := c.UpdateWorkflow(t.Context(), client.UpdateWorkflowOptions{
			WorkflowID: id, UpdateName: name, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted,
		})
		if err != nil {
			return err
		}
		return handle.Get(t.Context(), nil)
	}
	for n, run := 0, first.GetRunID(); n < mostUpdates && run == first.GetRunID(); n++ {
		err := ask(workflows.ClaimRefundUpdate, workflows.ClaimRefund{ClaimID: "rc", Address: "4", Amount: 1})
		require.True(t, refusals.Is(err, refusals.Refund), "claim %d: %v", n, err)
		is, err := c.DescribeWorkflowExecution(t.Context(), id, "")
		require.NoError(t, err)
		run = is.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	}
	require.True(t, refusals.Is(ask(workflows.ClaimRefundUpdate, workflows.ClaimRefund{ClaimID: "rc", Address: "4", Amount: 1}), refusals.Refund))
	is, err := c.DescribeWorkflowExecution(t.Context(), id, "")
	require.NoError(t, err)
	require.NotEqual(t, first.GetRunID(), is.GetWorkflowExecutionInfo().GetExecution().GetRunId(), "it goes on in a fresh history")
}
