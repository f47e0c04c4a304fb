// Package event records merchant events and their deliveries, in the transaction
// that makes the change, and opens deliveries again.
package event

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
)

// Event is a change that merchants are notified of.
type Event struct {
	MerchantID string
	Mode       config.Mode
	Type       string
	ResourceID string
	// Part distinguishes events of the same type and resource. Mostly there is one
	// event, and Part is empty.
	Part string
	Data any
	// Invoice is set for a charge of the Greenfield surface, whose metadata may name
	// the buyer.
	Invoice bool
	At      time.Time
}

// Record writes the event and one delivery for each webhook that subscribes to
// it, in the caller's transaction, and returns the deliveries. It fails when the
// resource has an event of this type and part.
func Record(ctx context.Context, q *db.Queries, e Event) ([]string, error) {
	body, err := webhook.Body(e.Type, e.Data, e.At)
	if err != nil {
		return nil, err
	}
	return q.RecordEvent(ctx, db.RecordEventParams{
		MerchantID: e.MerchantID, Mode: string(e.Mode), Type: e.Type, ResourceID: e.ResourceID, Part: e.Part,
		Payload: string(body), Invoice: e.Invoice, CreatedAt: e.At,
	})
}
