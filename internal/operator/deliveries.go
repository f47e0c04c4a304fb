package operator

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/internal/webhook"
)

// Delivery is a delivery without what it carries.
type Delivery struct {
	ID            string          `json:"id" example:"whd_0123456789abcdef01234567"`
	WebhookID     string          `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
	MerchantID    string          `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	URL           string          `json:"url" example:"https://shop.example.com/hooks/monero"`
	Event         string          `json:"event" example:"charge.confirmed"`
	ResourceID    string          `json:"resource_id" example:"ch_0123456789abcdef01234567"`
	Status        webhook.Status  `json:"status" enum:"pending,delivered,failed,dropped"`
	HTTPStatus    *int32          `json:"http_status"`
	Attempts      int32           `json:"attempts"`
	Error         *string         `json:"error"`
	CreatedAt     timestamp.Time  `json:"created_at"`
	LastAttemptAt *timestamp.Time `json:"last_attempt_at"`
}

// Deliveries is a list of deliveries.
type Deliveries struct {
	Deliveries []Delivery `json:"deliveries" doc:"Newest first"`
}

// Undelivered lists the newest deliveries that failed or were dropped.
func (d *Desk) Undelivered(ctx context.Context, limit int32) (Deliveries, error) {
	rows, err := d.Store.ListUndelivered(ctx, limit)
	list := Deliveries{make([]Delivery, 0, len(rows))}
	for _, r := range rows {
		list.Deliveries = append(list.Deliveries, deliveryOf(db.AnyDeliveryRow(r)))
	}
	return list, err
}

// SendAgain opens a finished delivery of any merchant again. The audit has it
// before the engine does.
func (d *Desk) SendAgain(ctx context.Context, who Actor, id string) (Delivery, error) {
	row, err := d.Store.AnyDelivery(ctx, id)
	if err != nil {
		return Delivery{}, missing(err)
	}
	if row.Status == string(webhook.Pending) {
		return Delivery{}, refuse("the delivery is still being attempted")
	}
	if err := d.record(ctx, d.Store.Queries, who, entry{"delivery.redeliver", id, map[string]string{"status": row.Status}}); err != nil {
		return Delivery{}, err
	}
	if err := d.Redeliver(ctx, row.MerchantID, id); err != nil {
		return Delivery{}, err
	}
	row, err = d.Store.AnyDelivery(ctx, id)
	return deliveryOf(row), missing(err)
}

func deliveryOf(r db.AnyDeliveryRow) Delivery {
	return Delivery{
		ID: r.ID, WebhookID: r.WebhookID, MerchantID: r.MerchantID, URL: r.Url, Event: r.Event, ResourceID: r.ResourceID,
		Status: webhook.Status(r.Status), HTTPStatus: r.HttpStatus, Attempts: r.Attempts, Error: r.Error,
		CreatedAt: timestamp.Of(r.CreatedAt), LastAttemptAt: timestamp.OfPtr(r.LastAttemptAt),
	}
}
