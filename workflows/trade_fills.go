package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

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
	if err := r.requests.awaitWithTimeout(ctx, func() bool { return isLong(ctx) }, r.untilAsked()); err != nil {
		return err
	}
	if isLong(ctx) {
		if err := r.requests.await(ctx, r.idle); err != nil { // this run delivers the last event
			return err
		}
		return r.continueAsNew(ctx)
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
		r.on(ctx, tradeAnswered)
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
