package upkeep

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

// pruneTrades removes trades that have ended with every deposit settled, together with
// their deposits, transactions and events. Commissions stay. The address is never given
// out again: money that comes to it opens an alert.
func (a *Retention) pruneTrades(ctx context.Context, before time.Time, from Position) (int, Position, error) {
	rows, err := a.Store.OldTrades(ctx, db.OldTradesParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	return removeOld(rows, func(r db.OldTradesRow) oldRow[string] { return oldRow[string]{r.CreatedAt, r.ID, r.Removable} },
		func(ids []string) error { return a.removeTrades(ctx, ids) })
}

// removeTrades locks the trades first and checks them again. A watcher that adds a
// deposit locks its trade, so a deposit is either seen here or finds the trade gone. A
// trade that is locked at the moment waits for the next run.
func (a *Retention) removeTrades(ctx context.Context, ids []string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockOldTrades(ctx, ids)
		if err != nil {
			return err
		}
		return q.DeleteTrades(ctx, locked)
	})
}

// pruneOrders removes the records of orders whose trade was never made. They are kept for
// a day at least, however short records are kept, because a creation that is still
// running must not forget that an order was sent.
func (a *Retention) pruneOrders(ctx context.Context, before time.Time, from Position) (int, Position, error) {
	rows, err := a.Store.OldOrders(ctx, db.OldOrdersParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	return removeOld(rows, func(r db.OldOrdersRow) oldRow[string] { return oldRow[string]{r.SentAt, r.TradeID, r.Alone} },
		func(ids []string) error { return a.Store.DeleteOrders(ctx, ids) })
}
