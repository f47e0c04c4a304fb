package trades

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// FollowTrade asks the provider that fills a trade for the state of its order, and writes
// the consequences in one transaction. A second run changes nothing. If the provider does
// not answer, it returns an error, which Temporal retries, and the trade stays unchanged.
// An answer that this version does not understand changes nothing either, and alerts
// operators. An answer that comes after another run has written one may be the older of
// the two, so it is dropped. It returns refusals.Missing if retention has removed the
// trade.
func (a *Handler) FollowTrade(ctx context.Context, in TradeTask) (TradeState, error) {
	order, err := a.Store.PlacedOrder(ctx, in.TradeID)
	if postgres.IsNotFound(err) {
		return TradeState{}, refusals.New(refusals.Missing, "no provider fills such a trade")
	}
	if err != nil {
		return TradeState{}, err
	}
	if order.ClosedAt != nil {
		return a.state(ctx, in.TradeID)
	}
	if err := sending.PollOnce(ctx, a.Quoter.Fanout.Provider, order.Provider, *order.IDProvider, &followedTrade{trades: a, order: order}); err != nil {
		return TradeState{}, err
	}
	return a.state(ctx, in.TradeID)
}

// followedTrade is the placed order of a trade, as it was read before the question to the
// provider.
type followedTrade struct {
	trades *Handler
	order  db.TradeOrder
}

// Silent returns an error, so that Temporal asks again. It alerts operators to a provider
// that has been silent for long.
func (f *followedTrade) Silent(ctx context.Context, cause error) error {
	if !provider.Silent(*f.order.HeardAt, f.trades.Clock()) {
		return cause
	}
	return errors.Join(cause, f.write(ctx, func(ctx context.Context, q *db.Queries, row db.Trade, _ db.TradeOrder) error {
		return sending.Alert(ctx, q, alert.OrderUnclear, row.ID, "provider "+f.order.Provider+" does not answer")
	}))
}

// Answered writes the consequences of an answer.
func (f *followedTrade) Answered(ctx context.Context, said provider.Swap) error {
	return f.write(ctx, func(ctx context.Context, q *db.Queries, row db.Trade, order db.TradeOrder) error {
		return f.trades.follow(ctx, q, row, order, said)
	})
}

// write writes the consequences of a question to the rows' present state. If the order
// was closed, or another answer was written meanwhile, it changes nothing: this answer
// may be older, and nothing would close an alert that it opens.
func (f *followedTrade) write(ctx context.Context, do func(context.Context, *db.Queries, db.Trade, db.TradeOrder) error) error {
	return f.trades.Store.Tx(ctx, func(q *db.Queries) error {
		row, err := q.LockTrade(ctx, f.order.TradeID)
		if err != nil {
			return err
		}
		latest, err := q.PlacedOrder(ctx, f.order.TradeID)
		if err != nil || latest.ClosedAt != nil || !latest.HeardAt.Equal(*f.order.HeardAt) {
			return err
		}
		return do(ctx, q, row, latest)
	})
}

// follow writes the consequences of an answer about an order.
func (a *Handler) follow(ctx context.Context, q *db.Queries, row db.Trade, order db.TradeOrder, swap provider.Swap) error {
	now := a.Clock().UTC().Truncate(time.Millisecond)
	before := upstreamTrade(row)
	report := reportOf(before, swap, now)
	report.QuietSince = row.UpdatedAt
	outcome, closed := trade.Follow(before, report)
	if err := a.write(ctx, q, row, before, outcome, now); err != nil {
		return err
	}
	known := provider.Transactions{Deposit: order.DepositTx, Payout: order.PayoutTx, Refund: order.RefundTx}
	txs := known.After(swap)
	if txs != known {
		if err := q.TouchTrade(ctx, db.TouchTradeParams{ID: row.ID, UpdatedAt: now}); err != nil {
			return err
		}
	}
	save := db.SaveOrderParams{
		TradeID: row.ID, Word: swap.Word, HeardAt: now, DepositTx: txs.Deposit, PayoutTx: txs.Payout, RefundTx: txs.Refund,
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
	unclear := ""
	if swap.State == provider.Unknown {
		unclear = fmt.Sprintf("provider %s says %q of its swap", order.Provider, swap.Word)
	}
	return sending.Alert(ctx, q, alert.OrderUnclear, row.ID, unclear)
}

// Texts of Trade.Detail, which clients read.
const (
	detailHeld      = "the provider checks the deposit"
	detailHalted    = "the provider stopped the swap"
	detailRefunding = "the provider sends the deposit back"
	detailReturned  = "the provider sent the deposit back"
	detailFailed    = "the swap failed at the provider"
	detailUnpaid    = "the provider ended the swap before a deposit"
)

// reportOf translates a provider's state into a trade's. It shows a hold only on
// controlled routes. A swap that failed before any payment ends like a swap that was not
// paid in time.
func reportOf(t trade.Trade, swap provider.Swap, now time.Time) trade.Report {
	r := trade.Report{Final: swap.State.Final(), Received: swap.AmountFrom, Now: now}
	if endedUnpaid(t, swap) {
		r.Status, r.Detail = trade.Expired, detailUnpaid
		return r
	}
	if r.Received.Sign() <= 0 {
		r.Received = t.Received
	}
	if swap.State == provider.Verifying || swap.State == provider.Halted {
		r.Status, r.Detail = held(t.Risk, swap.State)
		return r
	}
	shown := map[provider.State]struct {
		status trade.Status
		detail string
	}{
		provider.Waiting: {trade.AwaitingDeposit, ""}, provider.Confirming: {trade.Confirming, ""}, provider.Exchanging: {trade.Processing, ""},
		provider.Refunding: {trade.Processing, detailRefunding}, provider.Sending: {trade.Sending, ""}, provider.Finished: {trade.Completed, ""},
		provider.Refunded: {trade.Refunded, detailReturned}, provider.Failed: {trade.Failed, detailFailed}, provider.Expired: {trade.Expired, ""},
	}[swap.State]
	r.Status, r.Detail = shown.status, shown.detail
	return r
}

// endedUnpaid reports whether a swap failed before anything was paid.
func endedUnpaid(t trade.Trade, swap provider.Swap) bool {
	return swap.State == provider.Failed && swap.Unpaid && (t.Status == trade.AwaitingDeposit || t.Status == trade.Expired)
}

func held(risk provider.Risk, state provider.State) (trade.Status, string) {
	switch {
	case risk == provider.RiskControlled:
		return trade.Hold, detailHeld
	case state == provider.Verifying:
		return trade.Processing, detailHeld
	default:
		return trade.Failed, detailHalted
	}
}
