// Package worker runs workflows and activities. It defines which queue serves what, how
// many run at a time, and which workflows always run. It decides nothing about payments.
package worker

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/simulated"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/workflows"
)

// Deps holds everything that activities need.
type Deps struct {
	activities.Rooms

	Temporal client.Client
	// PruneEvery is the time between two runs of the retention.
	PruneEvery time.Duration
	// Exchange is nil when this process serves no swap exchange.
	Exchange *Exchange
	// WalletIDs are the wallets that this process serves.
	WalletIDs []string
	// BuildID turns worker versioning on when it is set.
	BuildID string
	Log     *slog.Logger

	// stopped receives the reason why a worker stopped by itself.
	stopped chan<- error
}

// WebhookAttempts is how many deliveries a process attempts at once.
const WebhookAttempts = 2000

// outsideCalls is how many calls to external servers a process makes at once, for
// merchants and for the exchange each.
const outsideCalls = 500

// Limits of one process, chosen so that ten thousand open charges stay within
// 250 MB: cached workflows are rebuilt from their history when they are needed.
const (
	stickyWorkflows  = 1000
	workflowPollers  = 16 // fewer leave tasks waiting in Temporal: a third of the rate at 8 clients
	workflowTasks    = 64
	localActivities  = 64
	shortActivities  = 64
	pollersPerQueue  = 4
	oneBuildAtATime  = 1
	longRunningTasks = 4
)

// Run works until ctx is done. A worker that Temporal rejects for minutes, for example
// after Temporal came back without its namespace, stops for good. Run then returns an
// error, so that the process is restarted.
func Run(ctx context.Context, d Deps) error {
	stopped := make(chan error, 1)
	d.stopped = stopped
	worker.SetStickyWorkflowCacheSize(stickyWorkflows)
	activities, deciders := d.workers()
	for _, w := range slices.Concat(deciders, activities) {
		if err := w.Start(); err != nil {
			return fmt.Errorf("worker: %w", err)
		}
	}
	defer stop(activities, deciders)
	for _, start := range []func(context.Context) error{d.startPermanent, d.startSchedules} {
		if err := untilAnswered(ctx, d.Log, start); err != nil {
			return err
		}
	}
	d.Log.InfoContext(ctx, "worker is running", "wallets", len(d.WalletIDs))
	var keeping sync.WaitGroup
	kept, end := context.WithCancel(ctx)
	keeping.Go(func() { d.keepRunning(kept) })
	defer keeping.Wait()
	defer end()
	return until(ctx, stopped)
}

// until returns nil when ctx is done, or the error of a worker that stopped earlier.
func until(ctx context.Context, stopped <-chan error) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-stopped:
		return fmt.Errorf("a worker has stopped: %w", err)
	}
}

// workers returns the workers that run only activities, and those that run workflows.
func (d Deps) workers() (activities, deciders []worker.Worker) {
	activities = []worker.Worker{d.webhookWorker(), d.outsideWorker(workflows.OutsideQueue, d.RegisterOutside)}
	for _, id := range d.WalletIDs {
		activities = append(activities, d.payoutWorker(id), d.watchWorker(id))
	}
	activities, deciders = append(activities, d.watchWorker(simulated.Wallet)), []worker.Worker{d.merchantWorker()}
	if d.Exchange != nil {
		activities, deciders = append(activities, d.exchangeWorkers()...), append(deciders, d.tradeWorker())
	}
	return activities, deciders
}

func (d Deps) merchantWorker() worker.Worker {
	w := worker.New(d.Temporal, workflows.MerchantQueue, d.options(forWorkflows()))
	d.registerMerchants(w)
	return w
}

func (d Deps) registerMerchants(w worker.Registry) {
	w.RegisterWorkflow(workflows.Charge)
	w.RegisterWorkflow(workflows.Payout)
	w.RegisterWorkflow(workflows.Refund)
	w.RegisterWorkflow(workflows.Delivery)
	w.RegisterWorkflow(workflows.Watch)
	w.RegisterWorkflow(workflows.Pool)
	w.RegisterWorkflow(workflows.Retention)
	w.RegisterWorkflow(workflows.Mail)
	w.RegisterWorkflow(workflows.Notices)
	w.RegisterWorkflow(workflows.Witness)
	w.RegisterWorkflow(workflows.Overdue)
	w.RegisterWorkflow(workflows.Sanctions)
	w.RegisterWorkflow(workflows.Swap)
	d.RegisterMerchants(w)
}

func (d Deps) webhookWorker() worker.Worker {
	w := worker.New(d.Temporal, workflows.WebhookQueue, d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: WebhookAttempts,
		MaxConcurrentActivityTaskPollers:   pollersPerQueue,
	}))
	d.RegisterAttempts(w)
	return w
}

// outsideWorker returns a worker for calls to external servers.
func (d Deps) outsideWorker(queue string, register func(worker.ActivityRegistry)) worker.Worker {
	w := worker.New(d.Temporal, queue, d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: outsideCalls,
		MaxConcurrentActivityTaskPollers:   pollersPerQueue,
	}))
	register(w)
	return w
}

func (d Deps) payoutWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.PayoutQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: oneBuildAtATime,
		MaxConcurrentActivityTaskPollers:   1,
	}))
	d.RegisterBuilding(w)
	return w
}

func (d Deps) watchWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.WatchQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: longRunningTasks,
		MaxConcurrentActivityTaskPollers:   1,
		WorkerStopTimeout:                  cutOff,
	}))
	d.RegisterWatching(w)
	return w
}

// forWorkflows returns the options of a worker that runs workflows, their local
// activities and short activities.
func forWorkflows() worker.Options {
	return worker.Options{
		MaxConcurrentWorkflowTaskExecutionSize:  workflowTasks,
		MaxConcurrentWorkflowTaskPollers:        workflowPollers,
		MaxConcurrentLocalActivityExecutionSize: localActivities,
		MaxConcurrentActivityExecutionSize:      shortActivities,
		WorkflowPanicPolicy:                     worker.BlockWorkflow,
		WorkerStopTimeout:                       stopDeciding,
	}
}

// options adds the settings that all workers of the process share.
func (d Deps) options(o worker.Options) worker.Options {
	if o.WorkerStopTimeout == 0 {
		o.WorkerStopTimeout = stopCalling
	}
	o.Interceptors = []interceptor.WorkerInterceptor{&identify{}, &activities.Heartbeats{}}
	o.OnFatalError = func(err error) {
		select {
		case d.stopped <- err:
		default: // one is enough
		}
	}
	if d.BuildID != "" {
		o.DeploymentOptions = worker.DeploymentOptions{
			UseVersioning:             true,
			Version:                   worker.WorkerDeploymentVersion{DeploymentName: "durapay", BuildID: d.BuildID},
			DefaultVersioningBehavior: workflow.VersioningBehaviorAutoUpgrade,
		}
	}
	return o
}

// How long a worker that stops lets its activities continue. All together are less than
// the minute that compose and the chart give a process.
const (
	// stopCalling is longer than a delivery through Tor takes, so that a deployment
	// sends no webhook and no mail twice, and builds no transaction twice.
	stopCalling = 40 * time.Second
	// stopDeciding is for workers of workflows, which also run the activities that relay and
	// check. The SDK gives this time to tasks, to local activities and to activities, one
	// after the other.
	stopDeciding = 5 * time.Second
	// cutOff is for watchers, which never end by themselves: another process takes over at
	// once.
	cutOff = time.Millisecond
)

// stop stops the workers of a group at the same time. Workers of workflows stop last,
// because until then they take the results of activities.
func stop(activities, deciders []worker.Worker) {
	for _, group := range [][]worker.Worker{activities, deciders} {
		var stopping sync.WaitGroup
		for _, w := range group {
			stopping.Go(w.Stop)
		}
		stopping.Wait()
	}
}

// identify puts the workflow's identifiers into every activity's context, so
// that the lines it logs carry them.
type identify struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity wraps the execution of activities.
func (*identify) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	i := &identifyActivity{}
	i.Next = next
	return i
}

type identifyActivity struct {
	interceptor.ActivityInboundInterceptorBase
}

// ExecuteActivity runs the activity in a context that names its workflow.
func (i *identifyActivity) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	at := activity.GetInfo(ctx).WorkflowExecution
	return i.Next.ExecuteActivity(telemetry.WithWorkflow(ctx, at.ID, at.RunID), in)
}
