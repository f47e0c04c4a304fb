package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
)

// longSilence is for how long a provider may not answer before operators are
// told.
const longSilence = time.Hour

// FollowTrade asks the provider that fills a trade where its order stands and
// writes what follows in one transaction. Run twice, the second run changes
// nothing. While the provider does not answer it is an error, to be tried
// again: the trade stays what it is. What the provider says and nobody here
// understands changes nothing either, and tells operators. An answer that comes
// after another run has heard one may be the older of the two: it is dropped.
func (a *Trades) FollowTrade(ctx context.Context, in TradeTask) (TradeState, error) {
	stop := heartbeat(ctx)
	defer stop()
	order, err := a.Store.PlacedOrder(ctx, in.TradeID)
	if err != nil {
		return TradeState{}, err
	}
	if order.ClosedAt != nil {
		return a.state(ctx, in.TradeID)
	}
	swap, err := a.ask(ctx, order)
	if errors.Is(err, provider.ErrUnknownSwap) {
		swap, err = provider.Swap{State: provider.Unknown, Word: "no such swap"}, nil
	}
	if err != nil {
		return TradeState{}, errors.Join(err, a.recordSilence(ctx, order))
	}
	if err := a.Store.Tx(ctx, func(q *db.Queries) error { return a.follow(ctx, q, order, swap) }); err != nil {
		return TradeState{}, err
	}
	return a.state(ctx, in.TradeID)
}

func (a *Trades) ask(ctx context.Context, order db.TradeOrder) (provider.Swap, error) {
	p, known := a.Quoter.Fanout.Provider(order.Provider)
	if !known {
		return provider.Swap{}, fmt.Errorf("provider %s is not configured", order.Provider)
	}
	swap, err := p.Status(ctx, *order.IDProvider)
	return swap.Usable(), err
}

// recordSilence tells operators of a provider that does not answer for long.
func (a *Trades) recordSilence(ctx context.Context, order db.TradeOrder) error {
	if order.HeardAt != nil && a.Clock().Sub(*order.HeardAt) < longSilence {
		return nil
	}
	return a.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertOrderUnclear, Subject: order.TradeID, Detail: "provider " + order.Provider + " does not answer",
	})
}

func (a *Trades) follow(ctx context.Context, q *db.Queries, order db.TradeOrder, swap provider.Swap) error {
	row, err := q.LockTrade(ctx, order.TradeID)
	if err != nil {
		return err
	}
	latest, err := q.PlacedOrder(ctx, order.TradeID)
	if err != nil || latest.ClosedAt != nil || !latest.HeardAt.Equal(*order.HeardAt) {
		return err
	}
	now := a.Clock().UTC().Truncate(time.Millisecond)
	before := upstreamTrade(row)
	report := reportOf(before, swap, now)
	report.QuietSince = row.UpdatedAt
	outcome, closed := trade.Follow(before, report)
	if err := a.write(ctx, q, row, before, outcome, now); err != nil {
		return err
	}
	if saysMore(order, swap) {
		if err := q.TouchTrade(ctx, db.TouchTradeParams{ID: row.ID, UpdatedAt: now}); err != nil {
			return err
		}
	}
	save := db.SaveOrderParams{
		TradeID: row.ID, Word: swap.Word, HeardAt: now, DepositTx: swap.DepositTx, PayoutTx: swap.PayoutTx, RefundTx: swap.RefundTx,
	}
	if swap.AmountTo.Sign() > 0 {
		save.AmountTo = &swap.AmountTo
	}
	if closed {
		save.ClosedAt = &now
	}
	if err := q.SaveOrder(ctx, save); err != nil {
		return err
	}
	if swap.State != provider.Unknown {
		return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertOrderUnclear, Subject: row.ID})
	}
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertOrderUnclear, Subject: row.ID, Detail: fmt.Sprintf("provider %s says %q of its swap", order.Provider, swap.Word),
	})
}

// saysMore says that a provider names a transaction that it did not name before.
func saysMore(order db.TradeOrder, swap provider.Swap) bool {
	for _, tx := range [][2]string{{order.DepositTx, swap.DepositTx}, {order.PayoutTx, swap.PayoutTx}, {order.RefundTx, swap.RefundTx}} {
		if tx[1] != "" && tx[0] != tx[1] {
			return true
		}
	}
	return false
}

// Texts of Trade.Detail; clients read them.
const (
	detailHeld      = "the provider checks the deposit"
	detailHalted    = "the provider stopped the swap"
	detailRefunding = "the provider sends the deposit back"
	detailReturned  = "the provider sent the deposit back"
	detailFailed    = "the swap failed at the provider"
	detailUnpaid    = "the provider ended the swap before a deposit"
)

// reportOf puts a provider's state into the words of a trade. A hold is shown
// as one on controlled routes only, and a swap that failed with nothing paid is
// over like one that nobody paid in time.
func reportOf(t trade.Trade, swap provider.Swap, now time.Time) trade.Report {
	r := trade.Report{Final: swap.State.Final(), Received: swap.AmountFrom, Now: now}
	if endedUnpaid(t, swap) {
		r.Status, r.Detail = trade.Expired, detailUnpaid
		return r
	}
	if r.Received.Sign() <= 0 {
		r.Received = t.Received
	}
	switch swap.State {
	case provider.Waiting:
		r.Status = trade.AwaitingDeposit
	case provider.Confirming:
		r.Status = trade.Confirming
	case provider.Exchanging:
		r.Status = trade.Processing
	case provider.Refunding:
		r.Status, r.Detail = trade.Processing, detailRefunding
	case provider.Sending:
		r.Status = trade.Sending
	case provider.Finished:
		r.Status = trade.Completed
	case provider.Refunded:
		r.Status, r.Detail = trade.Refunded, detailReturned
	case provider.Failed:
		r.Status, r.Detail = trade.Failed, detailFailed
	case provider.Expired:
		r.Status = trade.Expired
	case provider.Verifying, provider.Halted:
		r.Status, r.Detail = held(t.Risk, swap.State)
	case provider.Unknown:
	}
	return r
}

// endedUnpaid says that a swap failed before anything was paid.
func endedUnpaid(t trade.Trade, swap provider.Swap) bool {
	return swap.State == provider.Failed && swap.Unpaid && (t.Status == trade.AwaitingDeposit || t.Status == trade.Expired)
}

func held(risk trade.Risk, state provider.State) (trade.Status, string) {
	switch {
	case risk == trade.Controlled:
		return trade.Hold, detailHeld
	case state == provider.Verifying:
		return trade.Processing, detailHeld
	default:
		return trade.Failed, detailHalted
	}
}
