package worker_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/worker"
	"github.com/durapay/durapay/workflows"
)

// refusing is a Temporal that does not start some workflows.
type refusing struct {
	client.Client

	// refuses returns for an ID why its workflow is not started.
	refuses        func(id string) error
	asked, started atomic.Int32
}

func (r *refusing) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	r.asked.Add(1)
	if err := r.refuses(o.ID); err != nil {
		return nil, err
	}
	r.started.Add(1)
	return struct{ client.WorkflowRun }{}, nil
}

// However many workflows cannot be woken, they hold up no other. A Temporal that is
// away is not asked for each.
func TestWorkflowThatCannotBeWokenHoldsUpNoOther(t *testing.T) {
	t.Parallel()
	var items []outbox.Overdue
	for n := range 200 {
		items = append(items, outbox.Overdue{Kind: outbox.Swaps, ID: fmt.Sprint(n)})
	}
	const refused = 99 // those from 1 to 99
	temporal := &refusing{refuses: func(id string) error {
		if len(id) < len(workflows.SwapWorkflowID("100")) && id != workflows.SwapWorkflowID("0") {
			return serviceerror.NewInvalidArgument("the workflow has had too many signals")
		}
		return nil
	}}
	again := worker.Reconciler{Temporal: temporal, Clock: time.Now}
	require.ErrorContains(t, again.Wake(t.Context(), items), "too many signals")
	require.EqualValues(t, 200-refused, temporal.started.Load())

	away := &refusing{refuses: func(string) error { return serviceerror.NewUnavailable("the connection is refused") }}
	again.Temporal = away
	require.Error(t, again.Wake(t.Context(), items))
	require.Less(t, away.asked.Load(), int32(50))
}
