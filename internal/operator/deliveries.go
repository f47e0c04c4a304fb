package operator

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// Delivery is a delivery without what it carries.
type Delivery struct {
	ID            string         `json:"id" example:"whd_0123456789abcdef01234567"`
	WebhookID     string         `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
	MerchantID    string         `json:"merchant_id" example:"0123456789abcdef0123456789abcdef"`
	URL           string         `json:"url" example:"https://shop.example.com/hooks/monero"`
	Event         string         `json:"event" example:"charge.confirmed"`
	ResourceID    string         `json:"resource_id" example:"ch_0123456789abcdef01234567"`
	Status        webhook.Status `json:"status" enum:"pending,delivered,failed,dropped"`
	HTTPStatus    *int32         `json:"http_status"`
	Attempts      int32          `json:"attempts"`
	Error         *string        `json:"error"`
	CreatedAt     wire.Time      `json:"created_at"`
	LastAttemptAt *wire.Time     `json:"last_attempt_at"`
}

// Deliveries is a page of deliveries.
type Deliveries struct {
	Deliveries []Delivery `json:"deliveries" doc:"Newest first"`
	NextCursor *string    `json:"next_cursor" doc:"Cursor of the next page; null on the last" example:"1795253400123456.whd_0123456789abcdef01234567"`
}

// Undelivered lists deliveries that failed or were dropped.
func (d *Admin) Undelivered(ctx context.Context, p TimePage) (Deliveries, error) {
	before, id, err := p.before()
	if err != nil {
		return Deliveries{}, err
	}
	rows, err := d.Store.ListUndelivered(ctx, db.ListUndeliveredParams{Before: before, BeforeID: id, MaxRows: p.Limit})
	return Deliveries{
		Deliveries: each(rows, func(r db.ListUndeliveredRow) Delivery { return deliveryOf(db.AnyDeliveryRow(r)) }),
		NextCursor: after(p, rows, func(r db.ListUndeliveredRow) (time.Time, string) { return r.CreatedAt, r.ID }),
	}, err
}

// SendAgain opens a finished delivery of any merchant again.
func (d *Admin) SendAgain(ctx context.Context, who Actor, id string) (Delivery, error) {
	row, err := d.Store.AnyDelivery(ctx, id)
	if err != nil {
		return Delivery{}, missing(err)
	}
	err = d.Store.Tx(ctx, func(q *db.Queries) error {
		if err := d.record(ctx, q, who, entry{"delivery.redeliver", id, map[string]string{"status": row.Status}}); err != nil {
			return err
		}
		return chargestore.Redeliver(ctx, q, row.MerchantID, id, d.now())
	})
	if refusals.Is(err, refusals.Delivery) {
		err = refuse("%s", refusals.Text(err))
	}
	if err != nil {
		return Delivery{}, err
	}
	row, err = d.Store.AnyDelivery(ctx, id)
	return deliveryOf(row), missing(err)
}

func deliveryOf(r db.AnyDeliveryRow) Delivery {
	return Delivery{
		ID: r.ID, WebhookID: r.WebhookID, MerchantID: r.MerchantID, URL: r.Url, Event: r.Event, ResourceID: r.ResourceID,
		Status: webhook.Status(r.Status), HTTPStatus: r.HttpStatus, Attempts: r.Attempts, Error: r.Error,
		CreatedAt: wire.TimeOf(r.CreatedAt), LastAttemptAt: wire.TimeOrNil(r.LastAttemptAt),
	}
}
