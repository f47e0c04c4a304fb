package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
)

// runs are the runs of a workflow, once Temporal lists the newest one; only those that
// have a status where one is given.
func (w *testbed) runs(t *testing.T, workflowID string, status ...string) (ids []string) {
	t.Helper()
	env := w.Stack.Env()
	temporal, err := client.Dial(client.Options{
		HostPort: env["TEMPORAL_ADDRESS"], Namespace: env["TEMPORAL_NAMESPACE"],
		ConnectionOptions: client.ConnectionOptions{GetSystemInfoTimeout: maxWait},
	})
	require.NoError(t, err)
	defer temporal.Close()
	asked := fmt.Sprintf("WorkflowId = '%s'", workflowID)
	list := func(ctx context.Context, asked string) ([]string, error) {
		found, err := temporal.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: asked})
		var ids []string
		for _, run := range found.GetExecutions() {
			ids = append(ids, run.GetExecution().GetRunId())
		}
		return ids, err
	}
	eventually(t, "Temporal lists the newest run", func(ctx context.Context) error {
		newest, err := temporal.DescribeWorkflowExecution(ctx, workflowID, "")
		if err != nil {
			return err
		}
		ids, err = list(ctx, asked)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if id == newest.GetWorkflowExecutionInfo().GetExecution().GetRunId() {
				return nil
			}
		}
		return fmt.Errorf("it lists %v", ids)
	})
	for _, one := range status {
		ids, err = list(within(t), asked+fmt.Sprintf(" AND ExecutionStatus = '%s'", one))
		require.NoError(t, err)
	}
	return ids
}
