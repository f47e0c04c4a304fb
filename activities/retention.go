package activities

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Retention removes old data.
type Retention struct {
	Store *postgres.Store
	// BuyerData and Records are how long buyers' fields and whole charges are
	// kept.
	BuyerData time.Duration
	Records   time.Duration
}

// PruneBatch asks for one batch.
type PruneBatch struct {
	// Now is the workflow's clock.
	Now time.Time
}

// Pruned says whether there is more to remove.
type Pruned struct {
	More bool
}

// pruneBatch is how many rows of a table one batch touches, so that no lock
// is held for long.
const pruneBatch = 500

// PruneBatch strips buyers' fields from charges and deletes old delivery
// logs, events and charges, and addresses that nobody confirmed, up to a
// bounded number of each. Run twice, it
// removes the next batch.
func (a *Retention) PruneBatch(ctx context.Context, in PruneBatch) (Pruned, error) {
	stripped, err := a.strip(ctx, in.Now.Add(-a.BuyerData))
	if err != nil {
		return Pruned{}, err
	}
	before := in.Now.Add(-a.Records)
	deliveries, err := a.Store.PruneDeliveries(ctx, db.PruneDeliveriesParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return Pruned{}, err
	}
	events, err := a.Store.PruneEvents(ctx, db.PruneEventsParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return Pruned{}, err
	}
	charges, err := a.Store.PruneCharges(ctx, db.PruneChargesParams{Before: before, Batch: pruneBatch})
	if err != nil {
		return Pruned{}, err
	}
	addresses, err := a.Store.PruneEmailVerifications(ctx, db.PruneEmailVerificationsParams{Before: in.Now, Batch: pruneBatch})
	full := max(stripped, int(deliveries), int(events), len(charges), int(addresses)) == pruneBatch
	return Pruned{More: full}, err
}

func (a *Retention) strip(ctx context.Context, before time.Time) (int, error) {
	var n int
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.StripBuyerInfo(ctx, db.StripBuyerInfoParams{Before: before, Batch: pruneBatch})
		n = len(rows)
		for _, r := range rows {
			if err := q.SetMetadata(ctx, db.SetMetadataParams{ID: r.ID, Metadata: withoutBuyerInfo(r.Metadata)}); err != nil {
				return err
			}
		}
		return err
	})
	return n, err
}

// withoutBuyerInfo removes the key from a JSON object and leaves every other
// value as it was written.
func withoutBuyerInfo(metadata string) string {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(metadata), &fields); err != nil {
		return "{}"
	}
	delete(fields, "buyer_info")
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(fields); err != nil {
		return "{}"
	}
	return string(bytes.TrimSpace(out.Bytes()))
}
