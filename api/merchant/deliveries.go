package merchant

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// The longest delivery logs, of one webhook and of all.
const (
	maxWebhookLog = 200
	maxFullLog    = 500
)

type delivery struct {
	ID            string          `json:"id" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
	WebhookID     string          `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
	Event         string          `json:"event" example:"charge.confirmed"`
	ResourceID    string          `json:"resource_id" doc:"Charge or payout that the event is about; the delivery itself for ping" example:"ch_0123456789abcdef01234567"`
	Status        webhook.Status  `json:"status" enum:"pending,delivered,failed,dropped"`
	HTTPStatus    *int32          `json:"http_status" doc:"Status of the last answer; null when there was none"`
	Attempts      int32           `json:"attempts" doc:"Attempts made"`
	Error         *string         `json:"error" doc:"Why the last attempt failed"`
	Payload       json.RawMessage `json:"payload" doc:"The body that is sent"`
	CreatedAt     timestamp.Time  `json:"created_at"`
	LastAttemptAt *timestamp.Time `json:"last_attempt_at"`
	NextAttemptAt *timestamp.Time `json:"next_attempt_at"`
	DeliveredAt   *timestamp.Time `json:"delivered_at"`
}

type deliveryList struct {
	Deliveries []delivery `json:"deliveries" doc:"Newest first"`
}

type deliveryInput struct {
	ID string `path:"id" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
}

// registerDeliveries adds the delivery logs.
func (h *webhooksRoom) registerDeliveries(api operations) {
	withKey(api, route{
		id: "listDeliveries", method: http.MethodGet, path: "/api/webhooks/deliveries", tag: tagWebhooks,
		summary: "List deliveries of all webhooks", text: "Of the key's mode.",
		query:    []*huma.Param{limitParam(maxFullLog)},
		errors:   []int{http.StatusBadRequest},
		response: deliveryList{[]delivery{exampleDelivery()}},
	}, h.listDeliveries)
	withKey(api, route{
		id: "listWebhookDeliveries", method: http.MethodGet, path: "/api/webhooks/{id}/deliveries", tag: tagWebhooks,
		summary: "List deliveries of a webhook", text: "Of the key's mode.",
		query:    []*huma.Param{limitParam(maxWebhookLog)},
		errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		response: deliveryList{[]delivery{exampleDelivery()}},
	}, h.listWebhookDeliveries)
	withKey(api, route{
		id: "redeliver", method: http.MethodPost, path: "/api/webhooks/deliveries/{id}/redeliver", tag: tagWebhooks,
		summary:  "Send a delivery again",
		text:     "Sends the stored bytes with the same timestamp and a fresh signature. Refused while the delivery is pending.",
		errors:   []int{http.StatusBadRequest, http.StatusNotFound},
		response: exampleDelivery(),
	}, h.redeliver)
	withSession(api, route{
		id: "testWebhook", method: http.MethodPost, path: "/api/webhooks/{id}/test", tag: tagWebhooks, limit: limitPing,
		summary: "Send a test event",
		text: "Sends the event ping, signed and tried again like any other, whatever the webhook subscribes to. It is in the log " +
			"of the live deliveries. At most 10 a minute.",
		errors:   []int{http.StatusNotFound},
		response: examplePing(),
	}, h.testWebhook)
}

func (h *webhooksRoom) listDeliveries(ctx context.Context, caller keyCaller, in *struct{ query }) (*out[deliveryList], error) {
	limit, err := in.limit(maxFullLog)
	if err != nil {
		return nil, err
	}
	rows, err := h.Store.ListDeliveries(ctx, db.ListDeliveriesParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	list := deliveryList{make([]delivery, 0, len(rows))}
	for _, r := range rows {
		list.Deliveries = append(list.Deliveries, deliveryOf(db.GetDeliveryRow(r)))
	}
	return answer(list, nil)
}

func (h *webhooksRoom) listWebhookDeliveries(ctx context.Context, caller keyCaller, in *struct {
	ID string `path:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	query
}) (*out[deliveryList], error) {
	limit, err := in.limit(maxWebhookLog)
	if err != nil {
		return nil, err
	}
	if err := h.ownsWebhook(ctx, caller.MerchantID, in.ID); err != nil {
		return nil, err
	}
	rows, err := h.Store.ListDeliveriesByWebhook(ctx, db.ListDeliveriesByWebhookParams{
		WebhookID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	list := deliveryList{make([]delivery, 0, len(rows))}
	for _, r := range rows {
		list.Deliveries = append(list.Deliveries, deliveryOf(db.GetDeliveryRow(r)))
	}
	return answer(list, nil)
}

func (h *webhooksRoom) testWebhook(ctx context.Context, m db.Merchant, in *webhookInput) (*out[delivery], error) {
	if err := h.ownsWebhook(ctx, m.MerchantID, in.ID); err != nil {
		return nil, err
	}
	id := secret.NewID("whd_")
	if err := h.Start.ping(ctx, id, workflows.Ping{WebhookID: in.ID, MerchantID: m.MerchantID}); err != nil {
		return nil, err
	}
	return answer(h.ownDelivery(ctx, keyCaller{MerchantID: m.MerchantID, Mode: config.Live}, id))
}

func (h *webhooksRoom) redeliver(ctx context.Context, caller keyCaller, in *deliveryInput) (*out[delivery], error) {
	found, err := h.ownDelivery(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	if found.Status == webhook.Pending {
		return nil, badRequest("the delivery is still pending")
	}
	if err := h.Start.redeliver(ctx, caller.MerchantID, in.ID); err != nil {
		return nil, err
	}
	return answer(h.ownDelivery(ctx, caller, in.ID))
}

func (h *webhooksRoom) ownDelivery(ctx context.Context, caller keyCaller, id string) (delivery, error) {
	if !plainID(id, "whd_") {
		return delivery{}, notFound("delivery")
	}
	row, err := h.Store.GetDelivery(ctx, db.GetDeliveryParams{ID: id, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if postgres.IsNotFound(err) {
		return delivery{}, notFound("delivery")
	}
	return deliveryOf(row), err
}

func deliveryOf(r db.GetDeliveryRow) delivery {
	return delivery{
		ID: r.ID, WebhookID: r.WebhookID, Event: r.Event, ResourceID: r.ResourceID, Status: webhook.Status(r.Status),
		HTTPStatus: r.HttpStatus, Attempts: r.Attempts, Error: r.Error, Payload: json.RawMessage(r.Payload),
		CreatedAt: timestamp.Of(r.CreatedAt), LastAttemptAt: timestamp.OfPtr(r.LastAttemptAt),
		NextAttemptAt: timestamp.OfPtr(r.NextAttemptAt), DeliveredAt: timestamp.OfPtr(r.DeliveredAt),
	}
}
