package worker

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/workflows"
)

// A process that is stopped lets a running delivery end. Its outcome arrives, so no other
// worker sends it again.
func TestAStopCutsOffNoDelivery(t *testing.T) {
	t.Parallel()
	require.Greater(t, stopCalling, outbound.TorTimeout)
	c := stack.NewTemporal(t)
	d := Deps{Temporal: c, Log: slog.New(slog.DiscardHandler), stopped: make(chan error, 1)}
	sends := worker.New(c, workflows.WebhookQueue, d.options(worker.Options{DisableWorkflowWorker: true}))
	decides := worker.New(c, workflows.MerchantQueue, d.options(forWorkflows()))
	begun := make(chan struct{}, 1)
	sends.RegisterActivityWithOptions(func(ctx context.Context) (string, error) {
		begun <- struct{}{}
		<-activity.GetWorkerStopChannel(ctx)
		select {
		case <-time.After(time.Second): // the receiver answers a second after the stop
			return "delivered", nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}, activity.RegisterOptions{Name: "Attempt"})
	decides.RegisterWorkflowWithOptions(func(ctx workflow.Context) (outcome string, err error) {
		ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{TaskQueue: workflows.WebhookQueue, StartToCloseTimeout: time.Minute})
		return outcome, workflow.ExecuteActivity(ctx, "Attempt").Get(ctx, &outcome)
	}, workflow.RegisterOptions{Name: "One"})
	for _, w := range []worker.Worker{sends, decides} {
		require.NoError(t, w.Start())
	}
	run, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: "one", TaskQueue: workflows.MerchantQueue}, "One")
	require.NoError(t, err)
	<-begun
	stop([]worker.Worker{sends}, []worker.Worker{decides})
	is, err := c.DescribeWorkflowExecution(t.Context(), "one", run.GetRunID())
	require.NoError(t, err)
	for _, pending := range is.GetPendingActivities() {
		require.Failf(t, "it is sent again", "attempt %d", pending.GetAttempt())
	}
}

// stopping is a worker whose stop is watched.
type stopping struct {
	worker.Worker

	stop func()
}

func (s stopping) Stop() { s.stop() }

// Workers of activities stop side by side, and those of workflows after all of them.
func TestWorkersOfWorkflowsStopLast(t *testing.T) {
	t.Parallel()
	var together sync.WaitGroup
	together.Add(2)
	calling, deciding := 0, 0
	var mu sync.Mutex
	calls := stopping{stop: func() {
		together.Done()
		together.Wait() // for the other one, which stops meanwhile
		mu.Lock()
		defer mu.Unlock()
		calling++
	}}
	decides := stopping{stop: func() {
		mu.Lock()
		defer mu.Unlock()
		require.Equal(t, 2, calling)
		deciding++
	}}
	stop([]worker.Worker{calls, calls}, []worker.Worker{decides})
	require.Equal(t, 1, deciding)
}
