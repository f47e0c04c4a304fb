package greenfield

import (
	"context"
	"encoding/json"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// maxLog is the maximum number of deliveries in a log.
const maxLog = 200

type delivery struct {
	ID           string  `json:"id" doc:"Delivery identifier; a redelivery has one of its own" example:"whd_0123456789abcdef01234567"`
	Timestamp    Seconds `json:"timestamp" doc:"When it was last attempted, or made"`
	HTTPCode     *int32  `json:"httpCode" doc:"Status of the last answer; null when there was none"`
	ErrorMessage *string `json:"errorMessage" doc:"Why the last attempt failed"`
	Status       string  `json:"status" enum:"Pending,HttpSuccess,HttpError,Failed" doc:"Failed: there was no answer"`
}

// DeliveryPath names a delivery of a webhook.
type DeliveryPath struct {
	OnePath
	DeliveryID string `path:"deliveryId" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
}

func (h *Webhooks) deliveries(ctx context.Context, caller access.Key, in *struct {
	OnePath
	httpapi.Query
},
) (*httpapi.Out[[]delivery], error) {
	limit, err := in.Number("count", maxLog, 1, maxLog)
	if err != nil {
		return nil, err
	}
	w, err := h.own(ctx, caller, in.WebhookID)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListDeliveriesByWebhook(ctx, db.ListDeliveriesByWebhookParams{
		WebhookID: w.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: int32(limit),
	})
	if err != nil {
		return nil, err
	}
	list := make([]delivery, 0, len(rows))
	for _, r := range rows {
		list = append(list, deliveryOf(db.GetDeliveryRow(r)))
	}
	return httpapi.With(list, nil)
}

func deliveryOf(r db.GetDeliveryRow) delivery {
	d := delivery{
		ID: webhook.RoundID(r.ID, int(r.Rounds)), Timestamp: At(r.CreatedAt), HTTPCode: r.HttpStatus, ErrorMessage: r.Error, Status: "Failed",
	}
	if r.LastAttemptAt != nil {
		d.Timestamp = At(*r.LastAttemptAt)
	}
	switch {
	case r.Status == string(webhook.Pending):
		d.Status = "Pending"
	case r.Status == string(webhook.Delivered):
		d.Status = "HttpSuccess"
	case r.HttpStatus != nil:
		d.Status = "HttpError"
	}
	return d
}

// ownDelivery returns a delivery of one of the caller's webhooks. It accepts the identifier of
// any redelivery too.
func (h *Webhooks) ownDelivery(ctx context.Context, caller access.Key, in DeliveryPath) (db.GetDeliveryRow, error) {
	id, round := webhook.ParseRoundID(in.DeliveryID)
	if !httpapi.PlainID(id, "whd_") {
		return db.GetDeliveryRow{}, notFound("delivery")
	}
	w, err := h.own(ctx, caller, in.WebhookID)
	if err != nil {
		return db.GetDeliveryRow{}, err
	}
	row, err := h.Store.GetDelivery(ctx, db.GetDeliveryParams{ID: id, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if postgres.IsNotFound(err) || (err == nil && (row.WebhookID != w.ID || round > int(row.Rounds))) {
		return db.GetDeliveryRow{}, notFound("delivery")
	}
	return row, err
}

func (h *Webhooks) delivery(ctx context.Context, caller access.Key, in *DeliveryPath) (*httpapi.Out[delivery], error) {
	row, err := h.ownDelivery(ctx, caller, *in)
	return httpapi.With(deliveryOf(row), err)
}

func (h *Webhooks) request(ctx context.Context, caller access.Key, in *DeliveryPath) (*httpapi.Out[json.RawMessage], error) {
	row, err := h.ownDelivery(ctx, caller, *in)
	if err != nil {
		return nil, err
	}
	if err := caller.NeedView(row.Event); err != nil {
		return nil, err
	}
	sent, err := h.Store.GetDeliveryForSending(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	if !webhook.IsBTCPayEvent(sent.Type) {
		return httpapi.With(json.RawMessage(sent.Payload), nil)
	}
	body, err := webhook.BTCPayDelivery(sent.Payload, sent.ID, sent.WebhookID, int(sent.Rounds), sent.Metadata)
	return httpapi.With(json.RawMessage(body), err)
}

func (h *Webhooks) redeliver(ctx context.Context, caller access.Key, in *DeliveryPath) (*httpapi.Out[string], error) {
	row, err := h.ownDelivery(ctx, caller, *in)
	if err != nil {
		return nil, err
	}
	if err := caller.NeedView(row.Event); err != nil {
		return nil, err
	}
	err = access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		return chargestore.Redeliver(ctx, q, caller.MerchantID, row.ID, h.Clock().UTC().Truncate(time.Millisecond))
	})
	if refusals.Is(err, refusals.Delivery) {
		err = invalid("", "%s", refusals.Text(err))
	}
	if err != nil {
		return nil, err
	}
	row, err = h.ownDelivery(ctx, caller, *in)
	return httpapi.With(webhook.RoundID(row.ID, int(row.Rounds)), err)
}
