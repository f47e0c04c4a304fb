package retention

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/rawjson"
)

// buyerInfo is the reserved key of metadata that holds a buyer's values.
const buyerInfo = "buyer_info"

// stripCharges removes buyers' values from the metadata of charges that have
// ended and leaves the rest as it was written.
func (a *Handler) stripCharges(ctx context.Context, before time.Time, from Position) (taken int, last Position, err error) {
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.BuyerCharges(ctx, db.BuyerChargesParams{Before: before, AfterAt: from.At, AfterID: from.ID, Batch: pruneBatch})
		if err != nil {
			return err
		}
		var stripped db.StripChargesParams
		for _, r := range rows {
			text, err := rawjson.Cut([]byte(r.Metadata), buyerInfo)
			if err != nil {
				text = "{}" // unreadable is removed rather than kept for ever
			}
			stripped.Ids, stripped.Texts = append(stripped.Ids, r.ID), append(stripped.Texts, text)
			last = positionOf(r.CreatedAt, r.ID)
		}
		taken = len(rows)
		return q.StripCharges(ctx, stripped)
	})
	return taken, last, err
}

// stripEvents does the same to the stored bodies of events. One that is still
// being delivered waits for the next run.
func (a *Handler) stripEvents(ctx context.Context, before time.Time, from Position) (taken int, last Position, err error) {
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.BuyerEvents(ctx, db.BuyerEventsParams{Before: before, AfterAt: from.At, AfterID: from.number(), Batch: pruneBatch})
		if err != nil {
			return err
		}
		var stripped db.StripEventsParams
		for _, r := range rows {
			text, err := rawjson.Cut([]byte(r.Payload), "data", "metadata", buyerInfo)
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
