package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/exchangepayments"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/trade"
)

const (
	// longTrade is the size of a history, in bytes, at which a trade goes on with
	// a new one: many deposits may come to one address, for years.
	longTrade = 100 << 10
	// maxSending bounds the coroutines of a trade, maxRefunding those of refunds.
	maxSending   = 4
	maxRefunding = 2
)

// isLongTrade says that the history is to be cut. What waits then is read anew.
func isLongTrade(ctx workflow.Context) bool {
	return isLong(ctx) || workflow.GetInfo(ctx).GetCurrentHistorySize() > longTrade
}

// send lets a coroutine see to each payment that is not with the network
// yet, a few at a time. While the deposit lacks its depth nothing new is begun.
// Of refunds two are seen to at a time, one and one more if its deposit is not
// what it was: all that can go with a refund do.
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
	var a *exchangepayments.Handler
	err := workflow.ExecuteActivity(sendContext(ctx, t.WalletID), a.SendTradePayment, exchangepayments.TradePaymentTask{TradePaymentID: t.ID}).Get(ctx, nil)
	if err != nil {
		// Faults are retried by Temporal: this one is the end of the run.
		workflow.GetLogger(ctx).Error("a payment cannot be seen to", "payment", t.ID, "error", err)
		_ = workflow.Sleep(ctx, recheck) // on cancellation the run ends anyway
	}
	delete(r.sending, t.ID)
	r.woken = true
}
