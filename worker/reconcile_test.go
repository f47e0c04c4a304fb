package worker_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

// refusing is a Temporal that does not start one workflow, or none.
type refusing struct {
	client.Client

	// id is the one that is not started; empty for all.
	id             string
	asked, started atomic.Int32
}

func (r *refusing) ExecuteWorkflow(ctx context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	r.asked.Add(1)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.id == "" || o.ID == r.id {
		return nil, errors.New("the workflow has had too many signals")
	}
	r.started.Add(1)
	return struct{ client.WorkflowRun }{}, nil
}

// One workflow that cannot be woken holds up no other. A Temporal that is away is not
// asked for each.
func TestWorkflowThatCannotBeWokenHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	var items []overdue.Item
	for n := range 200 {
		items = append(items, overdue.Item{Kind: overdue.Swap, ID: fmt.Sprint(n)})
	}
	temporal := &refusing{id: workflows.SwapWorkflowID("0")}
	again := worker.Reconciler{Temporal: temporal, Clock: time.Now}
	require.ErrorContains(t, again.Wake(t.Context(), items), "too many signals")
	require.EqualValues(t, 199, temporal.started.Load())

	away := &refusing{}
	again.Temporal = away
	require.Error(t, again.Wake(t.Context(), items))
	require.Less(t, away.asked.Load(), int32(50))
}
