package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

const (
	// longTrade is the size of a history, in bytes, at which a trade continues in a fresh
	// one: many deposits may come to one address, for years.
	longTrade = 100 << 10
	// maxSending bounds the coroutines of a trade, maxRefunding those for refunds.
	maxSending   = 4
	maxRefunding = 2
)

// send starts a coroutine for each payment that is not with the network yet, a few at a
// time. While the deposit lacks its depth, no planned payment is started. Two refunds are
// handled at a time: a second one, because the deposit of the first may not be what it
// was. One is usually enough, because all refunds that can go into its transaction do.
func (r *tradeRun) send(ctx workflow.Context) {
	refunds := 0
	for _, t := range r.state.Payments {
		if r.sending[t.ID] && t.Kind == trade.Refund {
			refunds++
		}
	}
	for _, t := range r.state.Payments {
		if t.State == trade.Sent || r.sending[t.ID] || (r.state.Held && t.State == trade.Planned) {
			continue
		}
		if refunds >= maxRefunding && t.Kind == trade.Refund {
			continue
		}
		if len(r.sending) >= maxSending {
			return
		}
		if t.Kind == trade.Refund {
			refunds++
		}
		r.sending[t.ID] = true
		workflow.Go(ctx, func(ctx workflow.Context) { r.sendOne(ctx, t) })
	}
}

func (r *tradeRun) sendOne(ctx workflow.Context, t trades.TradePayment) {
	var a *trades.Payments
	err := forPayment.at(SendQueue(t.WalletID)).start(ctx, a.SendTradePayment, trades.TradePaymentTask{TradePaymentID: t.ID}).Get(ctx, nil)
	if err != nil {
		// Temporal retries faults, so this error ends the run.
		workflow.GetLogger(ctx).Error("a payment cannot be seen to", "payment", t.ID, "error", err)
		_ = workflow.Sleep(ctx, recheck) // on cancellation the run ends anyway
	}
	delete(r.sending, t.ID)
	r.woken = true
}

// Pauses between two questions about an order at another provider.
const (
	followPause     = 30 * time.Second
	followHeldPause = 2 * time.Minute
	followLatePause = 10 * time.Minute
)

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
	err := r.requests.get(ctx, forFollowing.start(ctx, a.FollowTrade, trades.TradeTask{TradeID: r.in.TradeID}), &r.state)
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
