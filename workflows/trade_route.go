package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// Pauses between two questions about an order at another provider.
const (
	followPause     = 30 * time.Second
	followHeldPause = 2 * time.Minute
	followLatePause = 10 * time.Minute
)

// fill makes the trade by the first of its routes that takes it. If a route fails before
// a deposit address is issued, the next one is tried. If it may hold an order, the order
// and the trade are given up.
func (r *tradeRun) fill(ctx workflow.Context, req CreateTrade) error {
	made := trades.CreateTrade{
		TradeID: r.in.TradeID, KeyID: req.KeyID, ClientCode: req.ClientCode,
		TickerFrom: req.TickerFrom, NetworkFrom: req.NetworkFrom, TickerTo: req.TickerTo, NetworkTo: req.NetworkTo,
		AmountFrom: req.AmountFrom, Markup: req.Markup, Address: req.Address, Refund: req.Refund,
		ExtraID: req.ExtraID, RefundMemo: req.RefundMemo, WebhookURL: req.WebhookURL, Note: req.Note, Now: now(ctx),
	}
	var a *trades.Handler
	if !req.Upstream {
		return workflow.ExecuteLocalActivity(createContext(ctx), a.CreateTrade, made).Get(ctx, &r.state)
	}
	var plan trades.RoutePlan
	err := workflow.ExecuteActivity(quoteContext(ctx), a.PlanRoutes, trades.PlanRoutes{
		CreateTrade: made, Provider: req.Provider,
	}).Get(ctx, &plan)
	for _, route := range plan.Routes {
		made.Now = now(ctx)
		if route.Own {
			err = workflow.ExecuteLocalActivity(createContext(ctx), a.CreateTrade, made).Get(ctx, &r.state)
		} else {
			err = workflow.ExecuteActivity(orderContext(ctx, ExchangeOutsideQueue), a.PlaceOrder, trades.PlaceOrder{
				CreateTrade: made, Route: route,
			}).Get(ctx, &r.state)
		}
		if !givesWay(err) {
			return err
		}
	}
	return err
}

// givesWay reports whether another route may succeed after this error.
func givesWay(err error) bool {
	switch code, _ := refusals.Of(err); code {
	case refusals.Route, refusals.Stale, refusals.Limits:
		return true
	}
	return false
}

// follow shows the last answer of the provider that fills the trade. It returns when it
// is time for the next question, or when there will be none.
func (r *tradeRun) follow(ctx workflow.Context) error {
	if err := r.publish(ctx); err != nil {
		return err
	}
	if r.state.Closed {
		r.on(ctx, tradeEnded)
		return nil
	}
	if err := r.requests.awaitNews(ctx, func() bool { return isLong(ctx) }, r.untilAsked()); err != nil {
		return err
	}
	if isLong(ctx) {
		if err := r.requests.await(ctx, r.idle); err != nil { // this run delivers the last event
			return err
		}
		return r.beginAnew(ctx)
	}
	r.on(ctx, tradeDue)
	return nil
}

// ask asks the provider for the state of the trade. While the provider is away, Temporal
// asks again.
func (r *tradeRun) ask(ctx workflow.Context) error {
	var a *trades.Handler
	err := r.requests.get(ctx, workflow.ExecuteActivity(followContext(ctx), a.FollowTrade,
		tasks.Trade{TradeID: r.in.TradeID}), &r.state)
	switch {
	case refusals.Is(err, refusals.Missing):
		r.on(ctx, tradeMissing)
	case err != nil:
		return err
	default:
		r.on(ctx, tradeTold)
	}
	return nil
}

// untilAsked returns the pause before the provider is asked.
func (r *tradeRun) untilAsked() time.Duration {
	switch r.state.Status {
	case trade.Expired:
		return followLatePause
	case trade.Hold, trade.Failed:
		return followHeldPause
	default:
		return followPause
	}
}
