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
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/telemetry"
	"github.com/durapay/durapay/workflows"
)

// Deps holds everything that activities need.
type Deps struct {
	activities.Rooms

	Temporal client.Client
	// Unserved ends runs that no worker serves.
	Unserved *Unserved
	// PruneEvery is the time between two runs of the retention.
	PruneEvery time.Duration
	// Exchange is nil when this process serves no swap exchange.
	Exchange *Exchange
	// WalletIDs are the merchants' wallets that this process serves.
	WalletIDs []string
	// ChainIDs are the chains that this process scans, without those of simulated charges.
	ChainIDs []string
	// BuildID turns worker versioning on when it is set.
	BuildID string
	Log     *slog.Logger

	// stopped receives the reason why a worker stopped by itself.
	stopped chan<- error
}

// Exchange holds what the activities of the swap exchange need.
type Exchange struct {
	activities.Exchange

	// WalletIDs are the exchange's wallets that this process serves.
	WalletIDs []string
}

// AllWallets returns the IDs of all wallets that this process serves.
func (d Deps) AllWallets() []string {
	if d.Exchange == nil {
		return d.WalletIDs
	}
	return slices.Concat(d.WalletIDs, d.Exchange.WalletIDs)
}

// watchedChains returns the IDs of the chains that are scanned: the chains of simulated
// charges have one watcher together.
func (d Deps) watchedChains() []string {
	return append([]string{charge.SimulatedWallet}, d.ChainIDs...)
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
	d.Log.InfoContext(ctx, "worker is running", "wallets", len(d.AllWallets()))
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
	activities = []worker.Worker{
		d.caller(workflows.WebhookQueue, WebhookAttempts, d.RegisterAttempts), d.caller(workflows.OutsideQueue, outsideCalls, d.RegisterOutside),
	}
	for _, id := range d.watchedChains() {
		activities = append(activities, d.keeper(workflows.WatchQueue(id), d.RegisterWatching))
	}
	for _, id := range d.WalletIDs {
		activities = append(activities, d.builder(workflows.PayoutQueue(id), d.RegisterBuilding))
	}
	for _, id := range d.AllWallets() {
		activities = append(activities, d.keeper(workflows.PoolQueue(id), d.RegisterWatching))
	}
	deciders = []worker.Worker{d.decider(workflows.MerchantQueue, d.registerMerchants)}
	if d.Exchange == nil {
		return activities, deciders
	}
	activities = append(activities, d.caller(workflows.ExchangeOutsideQueue, outsideCalls, d.Exchange.RegisterOutside))
	for _, id := range d.Exchange.WalletIDs {
		activities = append(activities, d.builder(workflows.SendQueue(id), d.Exchange.RegisterSending))
	}
	return activities, append(deciders, d.decider(workflows.ExchangeQueue, d.registerTrades))
}

func (d Deps) registerMerchants(w worker.Registry) {
	for _, run := range []any{
		workflows.Charge, workflows.Payout, workflows.Refund, workflows.Delivery, workflows.Watch, workflows.Pool, workflows.Retention,
		workflows.Mail, workflows.Notices, workflows.Witness, workflows.Overdue, workflows.Sanctions, workflows.Swap,
	} {
		w.RegisterWorkflow(run)
	}
	d.RegisterMerchants(w)
}

func (d Deps) registerTrades(w worker.Registry) {
	for _, run := range []any{workflows.Trade, workflows.Delivery, workflows.Consolidate} {
		w.RegisterWorkflow(run)
	}
	d.Exchange.RegisterTrades(w, d.Deliveries)
}

// caller returns a worker that makes calls to external servers, so many at once.
func (d Deps) caller(queue string, calls int, register func(worker.ActivityRegistry)) worker.Worker {
	return d.activityWorker(queue, register, worker.Options{MaxConcurrentActivityExecutionSize: calls, MaxConcurrentActivityTaskPollers: pollersPerQueue})
}

// builder returns a worker that builds a wallet's transactions, one at a time.
func (d Deps) builder(queue string, register func(worker.ActivityRegistry)) worker.Worker {
	return d.activityWorker(queue, register, worker.Options{MaxConcurrentActivityExecutionSize: oneBuildAtATime, MaxConcurrentActivityTaskPollers: 1})
}

// keeper returns a worker that scans a chain or fills a pool.
func (d Deps) keeper(queue string, register func(worker.ActivityRegistry)) worker.Worker {
	return d.activityWorker(queue, register, worker.Options{
		MaxConcurrentActivityExecutionSize: longRunningTasks, MaxConcurrentActivityTaskPollers: 1, WorkerStopTimeout: cutOff,
	})
}

func (d Deps) activityWorker(queue string, register func(worker.ActivityRegistry), o worker.Options) worker.Worker {
	o.DisableWorkflowWorker = true
	w := worker.New(d.Temporal, queue, d.options(o))
	register(w)
	return w
}

// decider returns a worker that runs workflows.
func (d Deps) decider(queue string, register func(worker.Registry)) worker.Worker {
	w := worker.New(d.Temporal, queue, d.options(forWorkflows()))
	register(w)
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

// deployment is the name of Durapay's workers in Temporal. Its builds are their versions.
const deployment = "durapay"

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
			Version:                   worker.WorkerDeploymentVersion{DeploymentName: deployment, BuildID: d.BuildID},
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
