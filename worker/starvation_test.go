package worker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

const (
	// starvedAt is an attempt that a broken run reaches minutes after a healthy run
	// should have ended.
	starvedAt = 40
	// maxWait is how long the test may take on a slow machine.
	maxWait = 8 * time.Minute
)

// brokenTrades counts the broken runs that have begun, and reports when one of
// them has reached starvedAt.
type brokenTrades struct{ begun, starved chan string }

func (b brokenTrades) advance(ctx context.Context, in trades.AdvanceTrade) (trades.TradeState, error) {
	if !strings.HasPrefix(in.TradeID, "broken") {
		return trades.TradeState{Status: trade.Expired}, nil
	}
	switch activity.GetInfo(ctx).Attempt {
	case 1:
		b.begun <- in.TradeID
	case starvedAt:
		b.starved <- in.TradeID
	}
	return trades.TradeState{}, errors.New("no wallet is configured for the trade")
}

// await waits for a run, and fails the test when another run has kept its slot.
func (b brokenTrades) await(within context.Context, t *testing.T, run <-chan string) {
	t.Helper()
	select {
	case <-run:
	case id := <-b.starved:
		require.Failf(t, "no slot is left", "%s has kept one for %d attempts", id, starvedAt)
	case <-within.Done():
		require.Fail(t, "no run goes on")
	}
}

// As many runs as the worker has slots fail at every attempt. They are retried, and
// do not keep the slots: a healthy run ends next to them.
func TestFailingRunsLeaveSlotsToHealthyOnes(t *testing.T) {
	t.Parallel()
	c := stack.NewTemporal(t)
	broken := brokenTrades{begun: make(chan string, workflowTasks), starved: make(chan string, workflowTasks)}
	w := worker.New(c, workflows.ExchangeQueue, Deps{}.options(forWorkflows()))
	w.RegisterWorkflow(workflows.Trade)
	w.RegisterActivityWithOptions(broken.advance, activity.RegisterOptions{Name: "AdvanceTrade"})
	require.NoError(t, w.Start())
	t.Cleanup(w.Stop)
	start := func(tradeID string) client.WorkflowRun {
		run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{
			ID: workflows.TradeWorkflowID(tradeID), TaskQueue: workflows.ExchangeQueue,
		}, workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
		require.NoError(t, err)
		return run
	}
	for n := range workflowTasks {
		start(fmt.Sprintf("broken-%d", n))
	}
	within, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	for range workflowTasks {
		broken.await(within, t, broken.begun)
	}
	ended, healthy := make(chan string, 1), start("healthy")
	go func() {
		if healthy.Get(within, nil) == nil {
			ended <- healthy.GetID()
		}
	}()
	broken.await(within, t, ended)
	for n := range workflowTasks {
		is, err := c.DescribeWorkflowExecution(t.Context(), workflows.TradeWorkflowID(fmt.Sprintf("broken-%d", n)), "")
		require.NoError(t, err)
		require.Equal(t, enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, is.GetWorkflowExecutionInfo().GetStatus())
	}
}
