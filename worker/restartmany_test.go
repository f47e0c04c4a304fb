package worker

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/workflows"
)

// crowded is a Temporal in which all runs were terminated, and that takes so many starts
// before it is busy.
type crowded struct {
	client.Client

	mu    sync.Mutex
	ended int
	takes int
	asked map[string]int
}

func (c *crowded) ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	page := &workflowservice.ListWorkflowExecutionsResponse{}
	for n := range c.ended {
		page.Executions = append(page.Executions, &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{
			WorkflowId: workflows.ChargeWorkflowID(fmt.Sprintf("ch_%024d", n)), RunId: fmt.Sprint(n),
		}})
	}
	return page, nil
}

func (c *crowded) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.takes == 0 {
		return nil, serviceerror.NewUnavailable("busy")
	}
	c.takes--
	c.asked[o.ID]++
	return nil, nil //nolint:nilnil // nobody looks at it
}

// TestAMassTerminationIsWorkedOff: each search continues where the previous one was
// interrupted, and restarts no run twice.
func TestAMassTerminationIsWorkedOff(t *testing.T) {
	t.Parallel()
	c := &crowded{ended: 1000, asked: map[string]int{}}
	answered := map[string]bool{}
	for pass := 1; pass <= 4; pass++ {
		c.takes = 300
		_, err := Reconciler{Temporal: c}.RestartEnded(t.Context(), time.Time{}, answered)
		require.Equal(t, pass == 4, err == nil)
		require.Len(t, c.asked, min(300*pass, c.ended))
	}
	for id, times := range c.asked {
		require.Equal(t, 1, times, id)
	}
	c.ended, c.takes = 0, 300
	_, err := Reconciler{Temporal: c}.RestartEnded(t.Context(), time.Time{}, answered)
	require.NoError(t, err)
	require.Empty(t, answered, "what is listed no more is forgotten")
}
