package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/swap"
)

// FailPayout fails a payout whose transaction, if it has one, was abandoned. It ends the
// payout's swap, frees its payments and charges, and lets its claim wait for another
// payout. It wakes charges whose payments left the chain meanwhile, because they got no
// signal while they were being paid out. The caller has locked the payout. It returns 0 if
// the payout has ended already.
func FailPayout(ctx context.Context, q *db.Queries, p db.Payout, reason string, at time.Time) (int64, error) {
	failed, err := q.MarkPayoutFailed(ctx, db.MarkPayoutFailedParams{ID: p.ID, Error: &reason})
	if err != nil || failed == 0 {
		return failed, err
	}
	if err := dropSwap(ctx, q, p, at); err != nil {
		return 0, err
	}
	vanished, err := q.VanishedCharges(ctx, p.ID)
	if err != nil {
		return 0, err
	}
	for _, step := range []func(context.Context, string) error{q.UnmarkCharges, q.UnreservePayments} {
		if err := step(ctx, p.ID); err != nil {
			return 0, err
		}
	}
	if err := RefundPayoutFailed(ctx, q, p, at); err != nil {
		return 0, err
	}
	if err := q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: alert.PayoutStuck, Subject: p.ID}); err != nil {
		return 0, err
	}
	return failed, q.WakeCharges(ctx, vanished)
}

// dropSwap ends the swap of a payout that failed, and the order that may still be
// running, because the payout will not pay it.
func dropSwap(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	if p.SwapTicker == nil {
		return nil
	}
	if err := q.ForbidSwapOrder(ctx, db.ForbidSwapOrderParams{SwapID: swap.OfPayout(p.ID), MerchantID: p.MerchantID, Now: at}); err != nil {
		return err
	}
	return q.FailSwapOfPayout(ctx, db.FailSwapOfPayoutParams{PayoutID: p.ID, StatusDetail: swap.NotSent, Now: at})
}
