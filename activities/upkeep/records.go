package upkeep

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// pruneDeliveries removes the log of deliveries that have ended.
func (a *Retention) pruneDeliveries(ctx context.Context, before time.Time, from Position) (int, Position, error) {
	rows, err := a.Store.OldDeliveries(ctx, db.OldDeliveriesParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	return removeOld(rows, func(r db.OldDeliveriesRow) oldRow[string] { return oldRow[string]{r.CreatedAt, r.ID, true} },
		func(ids []string) error { return a.Store.DeleteDeliveries(ctx, ids) })
}

// pruneEvents removes events that no delivery needs any more.
func (a *Retention) pruneEvents(ctx context.Context, before time.Time, from Position) (int, Position, error) {
	rows, err := a.Store.OldEvents(ctx, db.OldEventsParams{Before: before, AfterAt: from.At, AfterID: from.number(), Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	return removeOld(rows, func(r db.OldEventsRow) oldRow[int64] { return oldRow[int64]{r.CreatedAt, r.ID, true} },
		func(ids []int64) error { return a.Store.RemoveEvents(ctx, ids) })
}

// pruneCharges removes charges that have ended and hold no money that is not paid out.
// Money that came in and was paid out stays in received_payments, payouts and the ledger.
// The address stays taken.
func (a *Retention) pruneCharges(ctx context.Context, before time.Time, from Position) (int, Position, error) {
	rows, err := a.Store.OldCharges(ctx, db.OldChargesParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
	if err != nil {
		return 0, Position{}, err
	}
	return removeOld(rows, func(r db.OldChargesRow) oldRow[string] { return oldRow[string]{r.CreatedAt, r.ID, r.Removable} },
		func(ids []string) error { return RemoveCharges(ctx, a.Store, ids) })
}

// RemoveCharges locks the charges first and checks them again. The watcher locks a charge
// while it adds a payment, so a payment is either seen here or finds the charge gone. A
// charge that is locked at the moment waits for the next run. Payments that left the
// chain are removed with their charge. If one comes back, it is unmatched.
func RemoveCharges(ctx context.Context, store *postgres.Store, ids []string) error {
	return store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockOldCharges(ctx, ids)
		if err != nil {
			return err
		}
		gone, err := q.DeleteCharges(ctx, locked)
		if err != nil {
			return err
		}
		if err := q.DeleteVanishedPayments(ctx, gone); err != nil {
			return err
		}
		return q.RemoveSimulatedChains(ctx, gone)
	})
}
