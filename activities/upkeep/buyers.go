package upkeep

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/wire"
)

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
