package chargestore

import (
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/postgres/db"
)

// recordInvoiceEvents writes events in BTCPay's format and their deliveries, in the
// transaction of the change that caused them. An event that was recorded before is not
// recorded twice. It is called for merchants who have a webhook in that format.
func recordInvoiceEvents(ctx context.Context, q *db.Queries, c charge.Charge, f charge.Facts, events []invoice.Event) error {
	if len(events) == 0 {
		return nil
	}
	in := db.RecordInvoiceEventsParams{MerchantID: c.MerchantID, Mode: string(modeOf(c.Sandbox)), ResourceID: c.ID, CreatedAt: f.Now}
	for _, e := range events {
		body, err := e.Body(c, f)
		if err != nil {
			return err
		}
		in.Types, in.Parts, in.Payloads = append(in.Types, e.Type), append(in.Parts, e.Part), append(in.Payloads, string(body))
	}
	// This waits for a webhook that is being replaced, so the events see either the old one
	// or the new one.
	if _, err := q.HoldWebhooks(ctx, db.HoldWebhooksParams{MerchantID: in.MerchantID, Mode: in.Mode}); err != nil {
		return err
	}
	_, err := q.RecordInvoiceEvents(ctx, in)
	return err
}
