package worker

import (
	"context"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/workflows"
)

// Exchange is what the swap exchange's activities work with.
type Exchange struct {
	Trades  *activities.Trades
	Watcher *activities.ExchangeWatcher
	// WalletIDs are the exchange's wallets that this process serves.
	WalletIDs []string
}

// exchangeWorkers run the exchange's workflows and, for each of its wallets,
// one payment at a time and one watcher.
func (d Deps) exchangeWorkers() []worker.Worker {
	if d.Exchange == nil {
		return nil
	}
	list := []worker.Worker{d.tradeWorker()}
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
	w.RegisterActivity(d.Exchange.Trades.CreateTrade)
	w.RegisterActivity(d.Exchange.Trades.AdvanceTrade)
	w.RegisterActivity(d.Exchange.Trades.CheckTradePayments)
	w.RegisterActivity(d.Exchange.Trades.PlanRoutes)
	w.RegisterActivity(d.Exchange.Trades.PlaceOrder)
	w.RegisterActivity(d.Exchange.Trades.FollowTrade)
	w.RegisterActivity(d.Exchange.Trades.RetryTradePayment)
	w.RegisterActivity(d.Exchange.Trades.EndTrade)
	// Reopening a delivery is a local activity of its workflow.
	w.RegisterActivity(d.Webhooks.ReopenDelivery)
}

func (d Deps) sendWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.SendQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: oneBuildAtATime,
		MaxConcurrentActivityTaskPollers:   1,
	}))
	d.registerSending(w)
	return w
}

func (d Deps) registerSending(w worker.Registry) {
	w.RegisterActivity(d.Exchange.Trades.SendTradePayment)
	w.RegisterActivity(d.Exchange.Trades.Consolidate)
}

func (d Deps) exchangeWatchWorker(walletID string) worker.Worker {
	w := worker.New(d.Temporal, workflows.WatchQueue(walletID), d.options(worker.Options{
		DisableWorkflowWorker:              true,
		MaxConcurrentActivityExecutionSize: longRunningTasks,
		MaxConcurrentActivityTaskPollers:   1,
	}))
	d.registerExchangeWatching(w)
	return w
}

func (d Deps) registerExchangeWatching(w worker.Registry) {
	w.RegisterActivity(d.Exchange.Watcher.WatchExchange)
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
