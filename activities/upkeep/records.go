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

// The queries of steps that walk along rows take and return these, under names of their own.
type (
	walkParams[ID string | int64] = struct {
		Before, AfterAt time.Time
		AfterID         ID
		Batch           int32
	}
	oldRow[ID string | int64] = struct {
		ID        ID
		CreatedAt time.Time
		Removable bool
	}
	buyerRow[ID string | int64] = struct {
		ID        ID
		CreatedAt time.Time
		Body      string
		Invoice   bool
	}
	strippedRows[ID string | int64] = struct {
		Ids   []ID
		Texts []string
	}
)

// old returns the batch of a step that walks along rows and removes the removable ones.
func old[ID string | int64, Params ~walkParams[ID], Row ~oldRow[ID]](
	find func(context.Context, Params) ([]Row, error), remove func(context.Context, []ID) error,
) batch {
	return func(ctx context.Context, before time.Time, from Position) (int, Position, error) {
		rows, err := find(ctx, Params{Before: before, AfterAt: from.At, AfterID: idOf[ID](from), Batch: pruneBatch})
		if err != nil {
			return 0, Position{}, err
		}
		var ids []ID
		var last Position
		for _, row := range rows {
			r := oldRow[ID](row)
			if r.Removable {
				ids = append(ids, r.ID)
			}
			last = positionOf(r.CreatedAt, r.ID)
		}
		if len(ids) == 0 {
			return len(rows), last, nil
		}
		return len(rows), last, remove(ctx, ids)
	}
}

// RemoveCharges removes charges that have ended and hold no money that is not paid out.
// Money that came in and was paid out stays in received_payments, payouts and the ledger.
// The address stays taken. It locks the charges first and checks them again. The watcher
// locks a charge while it adds a payment, so a payment is either seen here or finds the
// charge gone. A charge that is locked at the moment waits for the next run. Payments that
// left the chain are removed with their charge. If one comes back, it is unmatched.
func (a *Retention) RemoveCharges(ctx context.Context, ids []string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
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

// removeTrades removes trades that have ended with every deposit settled, together with
// their deposits, transactions and events. Commissions stay. The address is never given
// out again: money that comes to it opens an alert.
//
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

// strip returns the batch of a step that removes buyers' values from stored JSON and does
// not change the rest.
func strip[ID string | int64, Params ~walkParams[ID], Row ~buyerRow[ID], Stripped ~strippedRows[ID]](
	store *postgres.Store, find func(*db.Queries, context.Context, Params) ([]Row, error), save func(*db.Queries, context.Context, Stripped) error, path ...string,
) batch {
	return func(ctx context.Context, before time.Time, from Position) (taken int, last Position, err error) {
		err = store.Tx(ctx, func(q *db.Queries) error {
			rows, err := find(q, ctx, Params{Before: before, AfterAt: from.At, AfterID: idOf[ID](from), Batch: pruneBatch})
			if err != nil {
				return err
			}
			var ids []ID
			var texts []string
			for _, row := range rows {
				r := buyerRow[ID](row)
				text, err := withoutBuyer([]byte(r.Body), r.Invoice, path...)
				if err != nil {
					text = "{}" // unreadable metadata is removed rather than kept for ever
				}
				ids, texts, last = append(ids, r.ID), append(texts, text), positionOf(r.CreatedAt, r.ID)
			}
			taken = len(rows)
			return save(q, ctx, Stripped{Ids: ids, Texts: texts})
		})
		return taken, last, err
	}
}
