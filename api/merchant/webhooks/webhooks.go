package webhooks

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/wire"
)

// Handler answers requests about webhooks.
type Handler struct {
	Store    *postgres.Store
	Webhooks service.Webhooks
	Clock    func() time.Time
}

// Register registers webhooks, the log of their deliveries and the feed.
func (h *Handler) Register(api operation.API) {
	h.registerWebhooks(api)
	h.registerDeliveries(api)
	h.registerFeed(api)
}

type newWebhook struct {
	URL    string    `json:"url" doc:"http or https; an onion host only with use_tor" example:"https://shop.example.com/hooks/monero"`
	Events *[]string `json:"events,omitempty" enum:"charge.created,charge.pending,charge.confirmed,charge.late_confirmed,charge.expired,payout.sent" doc:"Default: charge.confirmed and charge.expired"`
	UseTor *bool     `json:"use_tor,omitempty" doc:"Deliver through the SOCKS5 proxy" default:"false"`
	// Mode is live or sandbox.
	Mode *config.Mode `json:"mode,omitempty" enum:"live,sandbox" default:"live" doc:"The mode whose events it hears. Events of the sandbox are no sales: give them an address of their own"`
	// Retries is short or long.
	Retries *webhook.Retries `json:"retries,omitempty" enum:"short,long" default:"short" doc:"How long a delivery that fails is tried: three attempts within a quarter of a minute, or 32 within a day"`
}

type webhookView struct {
	ID        string          `json:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	URL       string          `json:"url" example:"https://shop.example.com/hooks/monero"`
	Events    []string        `json:"events" doc:"Subscribed event names"`
	Status    string          `json:"status" enum:"active"`
	UseTor    int             `json:"use_tor" enum:"0,1" doc:"1 when delivered through the SOCKS5 proxy"`
	Retries   webhook.Retries `json:"retries" enum:"short,long,btcpay,once" doc:"How long a delivery that fails is tried; btcpay and once are those of BTCPay's shape, with automaticRedelivery and without"`
	Dialect   webhook.Dialect `json:"dialect" enum:"durapay,btcpay" doc:"Shape of the deliveries; btcpay is made with the Greenfield API"`
	Mode      config.Mode     `json:"mode" enum:"live,sandbox" doc:"The mode whose events it hears"`
	CreatedAt wire.Time       `json:"created_at"`
}

type createdWebhook struct {
	ID        string          `json:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	URL       string          `json:"url" example:"https://shop.example.com/hooks/monero"`
	Events    []string        `json:"events" doc:"Subscribed event names"`
	Secret    string          `json:"secret" doc:"Key of the signatures, 64 hex digits; shown only now"`
	Status    string          `json:"status" enum:"active"`
	UseTor    int             `json:"use_tor" enum:"0,1" doc:"1 when delivered through the SOCKS5 proxy"`
	Retries   webhook.Retries `json:"retries" enum:"short,long,btcpay,once" doc:"How long a delivery that fails is tried; btcpay and once are those of BTCPay's shape, with automaticRedelivery and without"`
	Dialect   webhook.Dialect `json:"dialect" enum:"durapay,btcpay" doc:"Shape of the deliveries; btcpay is made with the Greenfield API"`
	Mode      config.Mode     `json:"mode" enum:"live,sandbox" doc:"The mode whose events it hears"`
	CreatedAt wire.Time       `json:"created_at"`
}

type webhookList struct {
	Webhooks []webhookView `json:"webhooks" doc:"Newest first"`
}

type webhookInput struct {
	ID string `path:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
}

type deletedWebhook struct {
	ID      string `json:"id" example:"wh_0123456789abcdef01234567"`
	Deleted bool   `json:"deleted" doc:"Always true"`
}

// registerWebhooks registers the merchants' routes about webhooks.
func (h *Handler) registerWebhooks(api operation.API) {
	operation.WithSession(api, operation.Route{
		ID: "createWebhook", Method: http.MethodPost, Path: "/api/webhooks", Tag: operation.TagWebhooks, Confirmed: true,
		Summary: "Create a webhook",
		Text: "At most 10 per merchant and mode. It hears events of one mode, live unless the body says sandbox. Deliveries are signed: X-MERCHANT-SIGNATURE is the lowercase hex HMAC-SHA256 of the " +
			"raw body, keyed by the text of the secret. They carry the headers of Standard Webhooks too: give its libraries " +
			"`whsec_` and the secret. 400 for an event that is not known, a URL that is not http or https, " +
			"and an onion host without use_tor. A private address is never dialled: its deliveries end `dropped`.",
		Request:  newWebhook{URL: "https://shop.example.com/hooks/monero"},
		Response: withSecret(exampleWebhook(), example.Secret),
	}, h.createWebhook)
	operation.WithSession(api, operation.Route{
		ID: "listWebhooks", Method: http.MethodGet, Path: "/api/webhooks", Tag: operation.TagWebhooks,
		Summary: "List webhooks", Text: "Of both modes, without their secrets.",
		Response: webhookList{[]webhookView{exampleWebhook()}},
	}, h.listWebhooks)
	operation.WithSession(api, operation.Route{
		ID: "deleteWebhook", Method: http.MethodDelete, Path: "/api/webhooks/{id}", Tag: operation.TagWebhooks,
		Summary: "Delete a webhook", Text: "Deliveries that have not been made yet are dropped. The log of the others stays.",
		Errors:   []int{http.StatusNotFound},
		Response: deletedWebhook{exampleWebhook().ID, true},
	}, h.deleteWebhook)
}

func (h *Handler) createWebhook(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newWebhook] }) (*httpapi.Out[createdWebhook], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	asked := service.NewWebhook{
		MerchantID: m.MerchantID, Mode: config.Live, URL: fields.URL, UseTor: fields.UseTor != nil && *fields.UseTor, Dialect: webhook.Ours, Retries: webhook.Short,
	}
	if asked.Events, err = eventsOf(fields.Events); err != nil {
		return nil, err
	}
	if mode := fields.Mode; mode != nil {
		if *mode != config.Live && *mode != config.Sandbox {
			return nil, httpapi.BadRequest("mode must be live or sandbox")
		}
		asked.Mode = *mode
	}
	if r := fields.Retries; r != nil {
		if *r != webhook.Short && *r != webhook.Long {
			return nil, httpapi.BadRequest("retries must be short or long")
		}
		asked.Retries = *r
	}
	row, key, err := h.Webhooks.Prepare(asked)
	if err != nil {
		return nil, err
	}
	var made db.Webhook
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		made, err = service.InsertWebhook(ctx, q, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.With(withSecret(webhookOf(made), key), nil)
}

// eventsOf checks the events of a subscription and removes duplicates.
func eventsOf(asked *[]string) ([]string, error) {
	if asked == nil {
		return webhook.DefaultEvents(), nil
	}
	var events []string
	for _, name := range *asked {
		if !webhook.IsEvent(name) {
			return nil, httpapi.BadRequest("events may hold: %s", strings.Join(webhook.Events(), ", "))
		}
		if !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	if len(events) == 0 {
		return nil, httpapi.BadRequest("events must not be empty")
	}
	return events, nil
}

func webhookOf(w db.Webhook) webhookView {
	view := webhookView{ID: w.ID, URL: w.Url, Events: w.Events, Status: "active", CreatedAt: wire.TimeOf(w.CreatedAt),
		Retries: webhook.Retries(w.Retries), Dialect: webhook.Dialect(w.Dialect), Mode: config.Mode(w.Mode),
	}
	if w.UseTor {
		view.UseTor = 1
	}
	return view
}

func withSecret(w webhookView, key string) createdWebhook {
	return createdWebhook{
		ID: w.ID, URL: w.URL, Events: w.Events, Secret: key, Status: w.Status, UseTor: w.UseTor, Retries: w.Retries, Dialect: w.Dialect, Mode: w.Mode, CreatedAt: w.CreatedAt,
	}
}

func (h *Handler) listWebhooks(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[webhookList], error) {
	rows, err := h.Store.ListWebhooks(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	list := webhookList{make([]webhookView, 0, len(rows))}
	for _, w := range rows {
		list.Webhooks = append(list.Webhooks, webhookOf(w))
	}
	return httpapi.With(list, nil)
}

func (h *Handler) deleteWebhook(ctx context.Context, m db.Merchant, in *webhookInput) (*httpapi.Out[deletedWebhook], error) {
	if !httpapi.PlainID(in.ID, "wh_") {
		return nil, httpapi.NotFound("webhook")
	}
	return httpapi.With(deletedWebhook{in.ID, true}, access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.DeleteWebhook(ctx, db.DeleteWebhookParams{ID: in.ID, MerchantID: m.MerchantID, Now: h.Clock()})
		if err == nil && n == 0 {
			return httpapi.NotFound("webhook")
		}
		return err
	}))
}

// own returns a webhook of the merchant (404 for any other).
func (h *Handler) own(ctx context.Context, merchantID, id string) (db.Webhook, error) {
	if !httpapi.PlainID(id, "wh_") {
		return db.Webhook{}, httpapi.NotFound("webhook")
	}
	w, err := h.Store.GetWebhook(ctx, db.GetWebhookParams{ID: id, MerchantID: merchantID})
	if postgres.IsNotFound(err) {
		return w, httpapi.NotFound("webhook")
	}
	return w, err
}

func exampleWebhook() webhookView {
	return webhookView{
		ID: example.WebhookID, URL: example.WebhookURL, Events: webhook.DefaultEvents(),
		Status: "active", CreatedAt: wire.TimeOf(example.Time()), Retries: webhook.Short, Dialect: webhook.Ours, Mode: config.Live,
	}
}

func exampleDelivery() delivery {
	status, at := int32(200), wire.TimeOf(example.Time())
	return delivery{
		ID: example.DeliveryID, WebhookID: example.WebhookID, Event: charge.EventConfirmed,
		ResourceID: example.ChargeID, Status: webhook.Delivered, HTTPStatus: &status, Attempts: 1,
		Payload:   json.RawMessage(`{"event":"charge.confirmed","data":{"id":"` + example.ChargeID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`),
		CreatedAt: at, LastAttemptAt: &at, DeliveredAt: &at,
	}
}

func examplePing() delivery {
	d := exampleDelivery()
	d.Event, d.ResourceID, d.Status, d.HTTPStatus, d.Attempts = webhook.EventPing, d.ID, webhook.Pending, nil, 0
	d.Payload = json.RawMessage(`{"event":"ping","data":{"id":"` + d.ID + `","webhook_id":"` + d.WebhookID + `"},"timestamp":"2026-11-21T09:30:00.123Z"}`)
	d.NextAttemptAt, d.LastAttemptAt, d.DeliveredAt = d.LastAttemptAt, nil, nil
	return d
}
