package worker

import (
	"context"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/workflows"
)

// Exchange holds what the activities of the swap exchange need.
type Exchange struct {
	activities.Exchange

	// WalletIDs are the exchange's wallets that this process serves.
	WalletIDs []string
}

// exchangeWorkers returns a worker for calls to providers. For each wallet of the
// exchange it returns a worker for payments, one at a time, and a worker for the watcher.
func (d Deps) exchangeWorkers() []worker.Worker {
	list := []worker.Worker{d.outsideWorker(workflows.ExchangeOutsideQueue, d.Exchange.RegisterOutside)}
	for _, id := range d.Exchange.WalletIDs {
		list = append(list, d.sendWorker(id), d.exchangeWatchWorker(id))
	}
	return list
}

func (d Deps) tradeWorker() worker.Worker {
	w := worker.New(d.Temporal, workflows.ExchangeQueue, d.options(forWorkflows()))
	d.registerTrades(w)
	return w
}

func (d Deps) registerTrades(w worker.Registry) {
	w.RegisterWorkflow(workflows.Trade)
	w.RegisterWorkflow(workflows.Delivery)
	w.RegisterWorkflow(workflows.WatchExchange)
	w.RegisterWorkflow(workflows.Consolidate)
	d.Exchange.RegisterTrades(w, d.Deliveries)
}

func (d Deps) sendWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.SendQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: oneBuildAtATime,
		MaxConcurrentActivityTaskPollers:   1,
	}))
	d.Exchange.RegisterSending(w)
	return w
}

func (d Deps) exchangeWatchWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.WatchQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: longRunningTasks,
		MaxConcurrentActivityTaskPollers:   1,
		WorkerStopTimeout:                  cutOff,
	}))
	d.Exchange.RegisterWatching(w)
	return w
}

// startExchange starts the watchers and the consolidations of the exchange's
// wallets.
func (d Deps) startExchange(ctx context.Context) error {
	if d.Exchange == nil {
		return nil
	}
	for _, id := range d.Exchange.WalletIDs {
		if err := d.ensure(ctx, workflows.ExchangeQueue, workflows.WatchWorkflowID(id), id, workflows.WatchExchange); err != nil {
			return err
		}
		if err := d.ensure(ctx, workflows.ExchangeQueue, workflows.ConsolidateWorkflowID(id), id, workflows.Consolidate); err != nil {
			return err
		}
	}
	return nil
}
