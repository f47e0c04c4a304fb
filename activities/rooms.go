package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/activities/upkeep"
)

// Rooms holds the handlers of everything that merchants have, and of all wallets.
type Rooms struct {
	Charges    *incoming.Charges
	Payouts    *payouts.Handler
	Swaps      *payouts.Swaps
	Deliveries *deliveries.Handler
	Mails      *mails.Handler
	Watch      *incoming.Watch
	Pool       *incoming.Pool
	Retention  *upkeep.Retention
	Overdue    *upkeep.Overdue
	// Sanctions is nil when no source of the list is configured.
	Sanctions *upkeep.SanctionsList
}

// Exchange holds the handlers of the swap exchange.
type Exchange struct {
	Trades   *trades.Handler
	Payments *trades.Payments
}

// register adds activities to a worker. The name of an activity is that of its method.
func register(w worker.ActivityRegistry, activities ...any) {
	for _, a := range activities {
		w.RegisterActivity(a)
	}
}

// RegisterMerchants adds the short activities of merchants.
func (r Rooms) RegisterMerchants(w worker.ActivityRegistry) {
	register(w, r.Charges.AdvanceCharge, r.Deliveries.FindDelivery, r.Mails.FindMail, r.Mails.GatherNotices, r.Swaps.FindSwap,
		r.Payouts.EstimateDust, r.Payouts.CheckSweep, r.Payouts.ReservePayout, r.Payouts.ReserveClaim, r.Payouts.DelayClaim,
		r.Payouts.FindPayout, r.Payouts.RelayPayout, r.Payouts.CheckPayout, r.Payouts.FailPayout, r.Payouts.ReleasePayout,
		r.Payouts.ClaimRefund, r.Payouts.AdvanceRefund, r.Payouts.GivePayment, r.Payouts.FollowPayments, r.Retention.PruneData, r.Overdue.CheckOverdue, r.Overdue.CheckFork)
	if r.Sanctions != nil {
		register(w, r.Sanctions.CheckSanctions)
	}
}

// RegisterOutside adds the activities that call external servers for merchants.
func (r Rooms) RegisterOutside(w worker.ActivityRegistry) {
	register(w, r.Mails.SendMail, r.Swaps.PlaceSwap, r.Swaps.PollSwap, r.Payouts.OrderPayoutSwap)
	if r.Sanctions != nil {
		register(w, r.Sanctions.RefreshSanctions)
	}
}

// RegisterAttempts adds the delivery attempts, to merchants and to partners of the
// exchange.
func (r Rooms) RegisterAttempts(w worker.ActivityRegistry) { register(w, r.Deliveries.AttemptDelivery) }

// RegisterBuilding adds the building of transactions in one of the merchants' wallets,
// one at a time.
func (r Rooms) RegisterBuilding(w worker.ActivityRegistry) {
	register(w, r.Payouts.MeasurePayout, r.Payouts.BuildPayout)
}

// RegisterWatching adds the long activities of chains and of wallets.
func (r Rooms) RegisterWatching(w worker.ActivityRegistry) {
	register(w, r.Watch.WatchChain)
}

// RegisterPools adds the long activity that keeps addresses of all wallets ready.
func (r Rooms) RegisterPools(w worker.ActivityRegistry) { register(w, r.Pool.FillPools) }

// RegisterTrades adds the short activities of trades, and those of the deliveries of
// their events.
func (e Exchange) RegisterTrades(w worker.ActivityRegistry, d *deliveries.Handler) {
	register(w, e.Trades.AdvanceTrade, e.Payments.CheckTradePayments, e.Payments.RetryTradePayment, e.Payments.EndTrade, d.FindDelivery)
}

// RegisterOutside adds the activities that call providers for trades.
func (e Exchange) RegisterOutside(w worker.ActivityRegistry) {
	register(w, e.Trades.PlaceOrder, e.Trades.FollowTrade)
}

// RegisterSending adds the payments of one of the exchange's wallets, one at a time.
func (e Exchange) RegisterSending(w worker.ActivityRegistry) {
	register(w, e.Payments.SendTradePayment, e.Payments.Consolidate)
}

// Heartbeats sends Temporal a heartbeat once a second for each running activity that has a limit
// for heartbeats. So another worker takes over a killed worker's step within seconds instead
// of at the end of its deadline. PruneData sends heartbeats by itself, with its position.
type Heartbeats struct {
	interceptor.WorkerInterceptorBase
}

// InterceptActivity wraps the execution of activities.
func (*Heartbeats) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	b := &withHeartbeats{}
	b.Next = next
	return b
}

type withHeartbeats struct {
	interceptor.ActivityInboundInterceptorBase
}

// ExecuteActivity runs the activity and sends heartbeats meanwhile.
func (b *withHeartbeats) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	if info := activity.GetInfo(ctx); info.HeartbeatTimeout > 0 && info.ActivityType.Name != "PruneData" {
		running, stop := context.WithCancel(ctx)
		defer stop()
		go sendHeartbeats(running)
	}
	return b.Next.ExecuteActivity(ctx, in)
}

func sendHeartbeats(ctx context.Context) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			activity.RecordHeartbeat(ctx)
		case <-ctx.Done():
			return
		}
	}
}
