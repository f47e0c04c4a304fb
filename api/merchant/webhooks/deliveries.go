package webhooks

import (
	"context"
	"encoding/json"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// These are the maximum lengths of the delivery logs of one webhook and of all.
const (
	maxWebhookLog = 200
	maxFullLog    = 500
)

// Delivery is a delivery of an event. Its name is exported because the documents leave out embedded
// types whose names are not.
type Delivery struct {
	ID            string          `json:"id" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
	WebhookID     string          `json:"webhook_id" example:"wh_0123456789abcdef01234567"`
	Event         string          `json:"event" example:"charge.confirmed"`
	ResourceID    string          `json:"resource_id" doc:"Charge or payout that the event is about; the delivery itself for ping" example:"ch_0123456789abcdef01234567"`
	Status        webhook.Status  `json:"status" enum:"pending,delivered,failed,dropped"`
	HTTPStatus    *int32          `json:"http_status" doc:"Status of the last answer; null when there was none"`
	Attempts      int32           `json:"attempts" doc:"Attempts made"`
	Error         *string         `json:"error" doc:"Why the last attempt failed"`
	Payload       json.RawMessage `json:"payload" doc:"The body that is sent; without the buyer's values once retention has taken them. null for a key of an application that may not view what it tells of: a charge without btcpay.store.canviewinvoices, a refund without btcpay.store.canviewpullpayments, and any payout"`
	CreatedAt     wire.Time       `json:"created_at"`
	LastAttemptAt *wire.Time      `json:"last_attempt_at"`
	NextAttemptAt *wire.Time      `json:"next_attempt_at" doc:"When it is attempted next; null once it has ended, and while it waits for the delivery before it: those of an invoice to a webhook in BTCPay's shape go one after the other"`
	DeliveredAt   *wire.Time      `json:"delivered_at"`
}

type deliveryList struct {
	Deliveries []Delivery `json:"deliveries" doc:"Newest first"`
}

// attempt is one attempt of a delivery, as the merchant's log has it.
type attempt struct {
	Attempt    int32     `json:"attempt" doc:"Its number, from 1" example:"1"`
	At         wire.Time `json:"at" doc:"When it ended"`
	HTTPStatus *int32    `json:"http_status" doc:"Status of the answer; null when there was none"`
	Error      *string   `json:"error" doc:"Why it failed"`
	Headers    string    `json:"request_headers" doc:"Headers that were sent, a line for each" example:"Content-Type: application/json"`
	Answer     string    `json:"answer" doc:"Beginning of the answer's body, at most 1 KiB" example:"ok"`
}

type deliveryLog struct {
	Delivery
	WebhookURL string    `json:"webhook_url" doc:"Address that it goes to; for a key of an application its host alone, because the rest may hold a secret" example:"https://shop.example.com/hooks/monero"`
	Log        []attempt `json:"log" doc:"Attempts, the newest first, at most 50. Empty for a key of an application that may not view the resource of the event"`
}

type deliveryInput struct {
	ID string `path:"id" doc:"Delivery identifier" example:"whd_0123456789abcdef01234567"`
}

func (h *Handler) listDeliveries(ctx context.Context, caller access.Key, in *struct{ httpapi.Query }) (*httpapi.Out[deliveryList], error) {
	limit, err := in.Limit(maxFullLog)
	if err != nil {
		return nil, err
	}
	resource, given, err := in.Single("resource_id")
	if err != nil {
		return nil, err
	}
	attention, err := in.Attention()
	if err == nil && attention != "" && given {
		err = httpapi.BadRequest("attention does not go with resource_id")
	}
	if err != nil {
		return nil, err
	}
	if attention != "" {
		rows, err := h.Store.ListFailedDeliveries(ctx, db.ListFailedDeliveriesParams{
			MerchantID: caller.MerchantID, Mode: string(caller.Mode), Since: h.Clock().Add(-httpapi.FailuresFor), MaxRows: limit,
		})
		return listOf(caller, rows, err)
	}
	if given {
		rows, err := h.Store.ListDeliveriesOf(ctx, db.ListDeliveriesOfParams{
			MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit, ResourceID: resource,
		})
		return listOf(caller, rows, err)
	}
	rows, err := h.Store.ListDeliveries(ctx, db.ListDeliveriesParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit,
	})
	return listOf(caller, rows, err)
}

// listOf answers with deliveries, from any of the queries.
func listOf[R db.ListDeliveriesRow | db.ListFailedDeliveriesRow | db.ListDeliveriesOfRow | db.ListDeliveriesByWebhookRow](caller access.Key, rows []R, err error) (*httpapi.Out[deliveryList], error) {
	if err != nil {
		return nil, err
	}
	list := deliveryList{make([]Delivery, 0, len(rows))}
	for _, r := range rows {
		list.Deliveries = append(list.Deliveries, deliveryOf(caller, db.GetDeliveryRow(r)))
	}
	return httpapi.With(list, nil)
}

func (h *Handler) listWebhookDeliveries(ctx context.Context, caller access.Key, in *struct {
	ID string `path:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	httpapi.Query
}) (*httpapi.Out[deliveryList], error) {
	limit, err := in.Limit(maxWebhookLog)
	if err != nil {
		return nil, err
	}
	if _, err := h.own(ctx, caller.MerchantID, in.ID); err != nil {
		return nil, err
	}
	rows, err := h.Store.ListDeliveriesByWebhook(ctx, db.ListDeliveriesByWebhookParams{
		WebhookID: in.ID, MerchantID: caller.MerchantID, Mode: string(caller.Mode), Limit: limit,
	})
	return listOf(caller, rows, err)
}

// getDelivery answers with a delivery and its attempts.
func (h *Handler) getDelivery(ctx context.Context, caller access.Key, in *deliveryInput) (*httpapi.Out[deliveryLog], error) {
	d, err := h.ownDelivery(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	log := deliveryLog{Delivery: d, Log: []attempt{}}
	if log.WebhookURL, err = h.Store.GetWebhookURL(ctx, d.WebhookID); err != nil {
		return nil, err
	}
	if caller.ID != "" {
		log.WebhookURL = webhook.Host(log.WebhookURL)
	}
	if !caller.MayView(d.Event) {
		return httpapi.With(log, nil) // the headers hold a signature of what the key may not see
	}
	rows, err := h.Store.ListAttempts(ctx, d.ID)
	for _, r := range rows {
		log.Log = append(log.Log, attempt{r.Attempt, wire.TimeOf(r.At), r.HttpStatus, r.Error, r.RequestHeaders, r.Answer})
	}
	return httpapi.With(log, err)
}

func (h *Handler) testWebhook(ctx context.Context, m db.Merchant, in *webhookInput) (*httpapi.Out[Delivery], error) {
	w, err := h.own(ctx, m.MerchantID, in.ID)
	if err != nil {
		return nil, err
	}
	ping := chargestore.Ping{DeliveryID: secret.NewID("whd_"), WebhookID: in.ID, MerchantID: m.MerchantID, At: h.now()}
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error { return chargestore.RecordPing(ctx, q, ping) })
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.ownDelivery(ctx, access.Key{MerchantID: m.MerchantID, Mode: config.Mode(w.Mode), Permissions: permission.All()}, ping.DeliveryID))
}

func (h *Handler) redeliver(ctx context.Context, caller access.Key, in *deliveryInput) (*httpapi.Out[Delivery], error) {
	d, err := h.ownDelivery(ctx, caller, in.ID)
	if err != nil {
		return nil, err
	}
	if err := caller.NeedView(d.Event); err != nil {
		return nil, err
	}
	err = access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		return chargestore.Redeliver(ctx, q, caller.MerchantID, in.ID, h.now())
	})
	if err != nil {
		return nil, err
	}
	return httpapi.With(h.ownDelivery(ctx, caller, in.ID))
}

// now is the time that the rows of a change have.
func (h *Handler) now() time.Time { return h.Clock().UTC().Truncate(time.Millisecond) }

func (h *Handler) ownDelivery(ctx context.Context, caller access.Key, id string) (Delivery, error) {
	if !httpapi.PlainID(id, "whd_") {
		return Delivery{}, httpapi.NotFound("delivery")
	}
	row, err := h.Store.GetDelivery(ctx, db.GetDeliveryParams{ID: id, MerchantID: caller.MerchantID, Mode: string(caller.Mode)})
	if postgres.IsNotFound(err) {
		err = h.missingDelivery(ctx, caller, id)
	}
	return deliveryOf(caller, row), err
}

// missingDelivery returns the answer to a key that does not find a delivery in its mode.
func (h *Handler) missingDelivery(ctx context.Context, caller access.Key, id string) error {
	other := config.Live
	if caller.Mode == config.Live {
		other = config.Sandbox
	}
	_, err := h.Store.GetDelivery(ctx, db.GetDeliveryParams{ID: id, MerchantID: caller.MerchantID, Mode: string(other)})
	if err == nil {
		return httpapi.InOtherMode("delivery", other == config.Sandbox)
	}
	return httpapi.Missing(err, httpapi.NotFound("delivery"))
}

// deliveryOf returns the view of a delivery for a key. The payload is left out if the key may
// not see it.
func deliveryOf(caller access.Key, r db.GetDeliveryRow) Delivery {
	d := Delivery{
		ID: r.ID, WebhookID: r.WebhookID, Event: r.Event, ResourceID: r.ResourceID, Status: webhook.Status(r.Status),
		HTTPStatus: r.HttpStatus, Attempts: r.Attempts, Error: r.Error,
		CreatedAt: wire.TimeOf(r.CreatedAt), LastAttemptAt: wire.TimeOrNil(r.LastAttemptAt),
		NextAttemptAt: wire.TimeOrNil(r.NextAttemptAt), DeliveredAt: wire.TimeOrNil(r.DeliveredAt),
	}
	if caller.MayView(r.Event) {
		d.Payload = json.RawMessage(r.Payload)
	}
	return d
}
