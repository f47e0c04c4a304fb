package deliveries

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// CreatePing names a test delivery and its webhook.
type CreatePing struct {
	DeliveryID string
	WebhookID  string
	MerchantID string
	// Now is the workflow's clock.
	Now time.Time
}

// ping is the data of the event ping. Its ID is the delivery's, so that every
// test is an event of its own to a receiver that drops duplicates.
type ping struct {
	ID        string `json:"id"`
	WebhookID string `json:"webhook_id"`
}

// CreatePing writes the event and its delivery to this one webhook. Run twice,
// the second run finds them. refusals.Webhook when the merchant has no such
// webhook any more.
func (a *Handler) CreatePing(ctx context.Context, in CreatePing) error {
	body, err := webhook.Body(webhook.EventPing, ping{in.DeliveryID, in.WebhookID}, in.Now)
	if err != nil {
		return err
	}
	n, err := a.Store.InsertPing(ctx, db.InsertPingParams{
		DeliveryID: in.DeliveryID, WebhookID: in.WebhookID, MerchantID: in.MerchantID, Type: webhook.EventPing, Payload: string(body), CreatedAt: in.Now,
	})
	if err != nil || n > 0 {
		return err
	}
	_, err = a.Store.GetDeliveryForSending(ctx, in.DeliveryID)
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Webhook, "webhook not found")
	}
	return err
}
