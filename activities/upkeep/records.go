package upkeep

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
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

// buyerInfo is the reserved key of metadata that holds a buyer's values.
const buyerInfo = "buyer_info"

// withoutBuyer removes the buyer's values from the metadata at a path of names. From an
// invoice it also removes the shop's fields about the buyer.
func withoutBuyer(raw []byte, isInvoice bool, path ...string) (string, error) {
	text, err := wire.Cut(raw, append(slices.Clone(path), buyerInfo)...)
	if !isInvoice {
		return text, err
	}
	for _, name := range invoice.BuyerFields() {
		if err != nil {
			return "", err
		}
		text, err = wire.Cut([]byte(text), append(slices.Clone(path), name)...)
	}
	return text, err
}

// stripCharges removes buyers' values from the metadata of charges that have ended, and
// does not change the rest.
func (a *Retention) stripCharges(ctx context.Context, before time.Time, from Position) (taken int, last Position, err error) {
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.BuyerCharges(ctx, db.BuyerChargesParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
		if err != nil {
			return err
		}
		var stripped db.StripChargesParams
		for _, r := range rows {
			text, err := withoutBuyer([]byte(r.Metadata), r.Invoice)
			if err != nil {
				text = "{}" // unreadable metadata is removed rather than kept for ever
			}
			stripped.Ids, stripped.Texts = append(stripped.Ids, r.ID), append(stripped.Texts, text)
			last = positionOf(r.CreatedAt, r.ID)
		}
		taken = len(rows)
		return q.StripCharges(ctx, stripped)
	})
	return taken, last, err
}

// stripEvents does the same to the stored bodies of events. An event that is still being
// delivered waits for the next run.
func (a *Retention) stripEvents(ctx context.Context, before time.Time, from Position) (taken int, last Position, err error) {
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.BuyerEvents(ctx, db.BuyerEventsParams{Before: before, AfterAt: from.At, AfterID: from.number(), Batch: pruneBatch})
		if err != nil {
			return err
		}
		var stripped db.StripEventsParams
		for _, r := range rows {
			text, err := withoutBuyer([]byte(r.Payload), r.Invoice, "data", "metadata")
			if err != nil {
				text = "{}"
			}
			stripped.Ids, stripped.Texts = append(stripped.Ids, r.ID), append(stripped.Texts, text)
			last = positionOf(r.CreatedAt, r.ID)
		}
		taken = len(rows)
		return q.StripEvents(ctx, stripped)
	})
	return taken, last, err
}
