package webhooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
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
	operation.WithSession(api, operation.Route{ID: "createWebhook", At: "POST /api/webhooks", Confirmed: true}, h.createWebhook)
	operation.WithSession(api, operation.Route{ID: "listWebhooks", At: "GET /api/webhooks"}, h.listWebhooks)
	operation.WithSession(api, operation.Route{ID: "deleteWebhook", At: "DELETE /api/webhooks/{id}"}, h.deleteWebhook)
	operation.WithKey(api, operation.Route{ID: "listDeliveries", At: "GET /api/webhooks/deliveries", Permission: permission.ModifyWebhooks}, h.listDeliveries)
	operation.WithKey(api, operation.Route{ID: "getDelivery", At: "GET /api/webhooks/deliveries/{id}/attempts", Permission: permission.ModifyWebhooks}, h.getDelivery)
	operation.WithKey(api, operation.Route{ID: "listWebhookDeliveries", At: "GET /api/webhooks/{id}/deliveries", Permission: permission.ModifyWebhooks}, h.listWebhookDeliveries)
	operation.WithKey(api, operation.Route{ID: "redeliver", At: "POST /api/webhooks/deliveries/{id}/redeliver", Permission: permission.ModifyWebhooks, Knocks: true}, h.redeliver)
	operation.WithSession(api, operation.Route{ID: "testWebhook", At: "POST /api/webhooks/{id}/test", Knocks: true}, h.testWebhook)
	operation.WithKey(api, operation.Route{ID: "listEvents", At: "GET /api/events", Permission: permission.ViewInvoices}, h.listEvents)
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

func (h *Handler) createWebhook(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newWebhook] }) (*httpapi.Out[createdWebhook], error) {
	fields := in.Body.Value()
	var err error
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
	return w, httpapi.Missing(err, httpapi.NotFound("webhook"))
}
