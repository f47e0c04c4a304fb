package chargestore

import (
	"context"
	"strconv"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// Ping is a test event for one webhook.
type Ping struct {
	DeliveryID string
	WebhookID  string
	MerchantID string
	At         time.Time
}

// Pinged is the data of the event ping. Its ID is the delivery's, so that every test is an
// event of its own to a receiver that drops duplicates.
type Pinged struct {
	ID        string `json:"id" doc:"The delivery" example:"whd_0123456789abcdef01234567"`
	WebhookID string `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
}

// RecordPing writes a test event with its delivery, and the wakeup of the delivery's
// workflow. It returns refusals.Webhook if the merchant has no such webhook any more.
func RecordPing(ctx context.Context, q *db.Queries, p Ping) error {
	body, err := webhook.Body(webhook.EventPing, Pinged{p.DeliveryID, p.WebhookID}, p.At)
	if err != nil {
		return err
	}
	n, err := q.InsertPing(ctx, db.InsertPingParams{
		DeliveryID: p.DeliveryID, WebhookID: p.WebhookID, MerchantID: p.MerchantID, Type: webhook.EventPing, Payload: string(body), CreatedAt: p.At,
	})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Webhook, "webhook not found")
	}
	return q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: []string{p.DeliveryID}, Owner: p.MerchantID})
}

// Redeliver opens a delivery that has ended for a new round of attempts. It writes the
// wakeup of the delivery's workflow. It returns refusals.Delivery if the delivery is pending.
func Redeliver(ctx context.Context, q *db.Queries, merchantID, id string, at time.Time) error {
	n, err := q.ReopenDelivery(ctx, db.ReopenDeliveryParams{ID: id, Now: at})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Delivery, "the delivery is still pending")
	}
	return q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: []string{id}, Owner: merchantID})
}

// RetryNow makes the deliveries of a resource due that failed and wait for their next
// attempt, and returns them. It writes the wakeups of their workflows.
func RetryNow(ctx context.Context, q *db.Queries, merchantID, resourceID string, at time.Time) ([]string, error) {
	due, err := q.RetryDeliveries(ctx, db.RetryDeliveriesParams{ResourceID: resourceID, Now: at})
	if err != nil {
		return nil, err
	}
	return due, q.WakeDeliveries(ctx, db.WakeDeliveriesParams{Ids: due, Owner: merchantID})
}

// RedeliverTradeEvent is Redeliver for the delivery of an event of a trade to the
// exchange's partner.
func RedeliverTradeEvent(ctx context.Context, q *db.Queries, number int64, at time.Time) error {
	n, err := q.ReopenTradeEvent(ctx, db.ReopenTradeEventParams{ID: number, Now: at})
	if err != nil {
		return err
	}
	if n == 0 {
		return refusals.New(refusals.Delivery, "there is no such event, or it is still being delivered")
	}
	return q.WakeTradeEvent(ctx, strconv.FormatInt(number, 10))
}
