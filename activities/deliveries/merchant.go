package deliveries

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// merchantDelivery is a row of deliveries.
type merchantDelivery struct {
	a   *Handler
	row db.GetDeliveryForSendingRow
}

func (a *Handler) findMerchantDelivery(ctx context.Context, id string) (delivery, error) {
	row, err := a.Store.GetDeliveryForSending(ctx, id)
	return merchantDelivery{a, row}, err
}

func (d merchantDelivery) standing() standing {
	now := standing{
		status: webhook.Status(d.row.Status), attempts: int(d.row.Attempts), roundFrom: int(d.row.RoundFrom), next: d.row.NextAttemptAt, owner: d.row.MerchantID,
	}
	if d.row.WebhookDeleted {
		now.gone = "the webhook was deleted"
	}
	return now
}

func (d merchantDelivery) request() (outbound.Request, error) {
	key, err := d.a.Secret.Unseal(d.row.SecretSealed, secret.WebhookPlace(d.row.WebhookID))
	if err != nil {
		return outbound.Request{}, err
	}
	body, header := []byte(d.row.Payload), http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set(webhook.SignatureHeader, webhook.Sign(string(key), body))
	return outbound.Request{URL: d.row.Url, Body: body, Header: header, UseTor: d.row.UseTor}, nil
}

func (d merchantDelivery) record(ctx context.Context, o outcome) (bool, error) {
	n, err := d.a.Store.RecordAttempt(ctx, db.RecordAttemptParams{
		ID: d.row.ID, Status: string(o.status), Attempt: int32(o.attempt), Attempts: int32(o.attempts), HttpStatus: o.httpStatus, Error: o.err,
		LastAttemptAt: o.ended, NextAttemptAt: o.next, DeliveredAt: o.deliveredAt,
	})
	return n > 0, err
}

func (d merchantDelivery) count(o outcome) {
	d.a.Finished(o.status)
	if o.deliveredAt != nil && d.row.SeenAt != nil {
		d.a.Reported(d.row.Type, o.deliveredAt.Sub(*d.row.SeenAt))
	}
}

func (a *Handler) reopenMerchantDelivery(ctx context.Context, in ReopenDelivery, finished, pending bool) (int64, error) {
	return a.Store.ReopenDelivery(ctx, db.ReopenDeliveryParams{ID: in.ID, Now: &in.Now, Finished: finished, Pending: pending})
}
