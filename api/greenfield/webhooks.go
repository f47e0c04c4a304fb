package greenfield

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
)

// Webhooks answers requests about webhooks in BTCPay's format and about the log of their
// deliveries. They share the table and the delivery of all other webhooks.
type Webhooks struct {
	Store    *postgres.Store
	Webhooks service.Webhooks
	Clock    func() time.Time
}

// OnePath names a webhook in a store.
type OnePath struct {
	StorePath
	WebhookID string `path:"webhookId" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
}

// maxSecret is the maximum length, in bytes, of a secret that a caller chooses.
const maxSecret = 200

// fields are the caller's settings for a webhook. A null field gets its default when the
// webhook is created, and keeps its value when it is changed.
type fields struct {
	URL                 *string           `json:"url" required:"true" doc:"http or https; an onion host is reached through Tor"`
	Enabled             *bool             `json:"enabled,omitempty" nullable:"true" default:"true" doc:"Whether events are delivered"`
	AutomaticRedelivery *bool             `json:"automaticRedelivery,omitempty" nullable:"true" default:"true" doc:"Try a delivery that fails again: after 10 seconds, a minute, then six times after ten minutes"`
	AuthorizedEvents    *authorizedEvents `json:"authorizedEvents,omitempty"`
	Secret              *string           `json:"secret,omitempty" nullable:"true" doc:"Key of the signatures, at most 200 bytes, kept as it is; one is made where there is none"`
}

type authorizedEvents struct {
	Everything     bool     `json:"everything" doc:"All events"`
	SpecificEvents []string `json:"specificEvents" nullable:"true" doc:"Those events; types that tell of no invoice are kept and never sent"`
}

// WebhookData is a webhook without its secret. Its name is exported because documents omit the
// fields of unexported embedded types.
type WebhookData struct {
	ID                  string           `json:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	Enabled             bool             `json:"enabled" doc:"Whether events are delivered"`
	AutomaticRedelivery bool             `json:"automaticRedelivery" doc:"Whether a delivery that fails is tried again"`
	URL                 string           `json:"url"`
	AuthorizedEvents    authorizedEvents `json:"authorizedEvents"`
}

type createdWebhook struct {
	WebhookData
	Secret string `json:"secret" doc:"Key of the signatures; shown only now"`
}

type writing struct {
	OnePath
	Body httpapi.Body[fields]
}

// silent returns BTCPay's event types that do not concern an invoice. A webhook may name them,
// but they are never sent.
func silent() []string {
	return []string{
		"InvoicePaidInFull", "InvoiceRefund", "PayoutCreated", "PayoutApproved", "PayoutUpdated", "PaymentRequestCreated", "PaymentRequestUpdated",
		"PaymentRequestArchived", "PaymentRequestStatusChanged", "PaymentRequestCompleted",
	}
}

// events returns the events that a caller subscribes to.
func (f fields) events() ([]string, error) {
	if f.AuthorizedEvents == nil || f.AuthorizedEvents.Everything {
		return webhook.BTCPayEvents(), nil
	}
	events := []string{}
	for _, name := range f.AuthorizedEvents.SpecificEvents {
		if !webhook.IsBTCPayEvent(name) && !slices.Contains(silent(), name) {
			return nil, invalid("authorizedEvents.specificEvents", "there is no event %q", name)
		}
		if !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	return events, nil
}

// asked checks the caller's settings, except for the URL.
func (f fields) asked(caller access.Key) (service.NewWebhook, error) {
	n := service.NewWebhook{
		MerchantID: caller.MerchantID, Mode: caller.Mode, Dialect: webhook.BTCPay, Retries: webhook.AsBTCPay, Disabled: f.Enabled != nil && !*f.Enabled,
	}
	if f.URL == nil {
		return n, invalid("url", "url is required")
	}
	n.URL, n.UseTor = *f.URL, outbound.IsOnion(*f.URL)
	if f.AutomaticRedelivery != nil && !*f.AutomaticRedelivery {
		n.Retries = webhook.Once
	}
	if f.Secret != nil {
		if len(*f.Secret) > maxSecret || !utf8.ValidString(*f.Secret) {
			return n, invalid("secret", "secret must have at most %d bytes of UTF-8", maxSecret)
		}
		n.Secret = *f.Secret
	}
	var err error
	n.Events, err = f.events()
	return n, err
}

func (h *Webhooks) create(ctx context.Context, caller access.Key, in *struct {
	StorePath
	Body httpapi.Body[fields]
},
) (*httpapi.Out[createdWebhook], error) {
	f := in.Body.Value()
	asked, err := f.asked(caller)
	if err != nil {
		return nil, err
	}
	row, key, err := h.Webhooks.Prepare(asked)
	if err != nil {
		return nil, err
	}
	var made db.Webhook
	err = access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		made, err = service.ReplaceWebhook(ctx, q, row)
		return err
	})
	if err != nil {
		return nil, err
	}
	return httpapi.With(createdWebhook{dataOf(made), key}, nil)
}

func dataOf(w db.Webhook) WebhookData {
	everything := true
	for _, name := range webhook.BTCPayEvents() {
		everything = everything && slices.Contains(w.Events, name)
	}
	return WebhookData{
		ID: w.ID, Enabled: w.Enabled, AutomaticRedelivery: w.Retries != string(webhook.Once), URL: w.Url,
		AuthorizedEvents: authorizedEvents{everything, w.Events},
	}
}

func (h *Webhooks) list(ctx context.Context, caller access.Key, _ *StorePath) (*httpapi.Out[[]WebhookData], error) {
	rows, err := h.Store.ListWebhooksInShape(ctx, db.ListWebhooksInShapeParams{
		MerchantID: caller.MerchantID, Mode: string(caller.Mode), Dialect: string(webhook.BTCPay),
	})
	if err != nil {
		return nil, err
	}
	list := make([]WebhookData, 0, len(rows))
	for _, w := range rows {
		list = append(list, dataOf(w))
	}
	return httpapi.With(list, nil)
}

// own returns a webhook in this format that belongs to the caller and to the key's mode.
func (h *Webhooks) own(ctx context.Context, caller access.Key, id string) (db.Webhook, error) {
	if !httpapi.PlainID(id, "wh_") {
		return db.Webhook{}, notFound("webhook")
	}
	w, err := h.Store.GetWebhook(ctx, db.GetWebhookParams{ID: id, MerchantID: caller.MerchantID})
	if postgres.IsNotFound(err) || (err == nil && (w.Mode != string(caller.Mode) || w.Dialect != string(webhook.BTCPay))) {
		return db.Webhook{}, notFound("webhook")
	}
	return w, err
}

func (h *Webhooks) get(ctx context.Context, caller access.Key, in *OnePath) (*httpapi.Out[WebhookData], error) {
	w, err := h.own(ctx, caller, in.WebhookID)
	return httpapi.With(dataOf(w), err)
}

func (h *Webhooks) update(ctx context.Context, caller access.Key, in *writing) (*httpapi.Out[WebhookData], error) {
	f := in.Body.Value()
	asked, err := f.asked(caller)
	if err != nil {
		return nil, err
	}
	if err := service.CheckWebhookURL(asked.URL, asked.UseTor); err != nil {
		return nil, err
	}
	was, err := h.own(ctx, caller, in.WebhookID)
	if err != nil {
		return nil, err
	}
	save := db.SaveWebhookParams{
		ID: was.ID, MerchantID: caller.MerchantID, Dialect: was.Dialect, Url: asked.URL, Events: asked.Events, UseTor: asked.UseTor,
		Retries: string(asked.Retries), Enabled: !asked.Disabled,
	}
	if asked.Secret != "" {
		if save.SecretSealed, err = h.Webhooks.Seal(was.ID, asked.Secret); err != nil {
			return nil, err
		}
	}
	var saved db.Webhook
	err = access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		saved, err = q.SaveWebhook(ctx, save)
		return httpapi.Missing(err, notFound("webhook"))
	})
	return httpapi.With(dataOf(saved), err)
}

func (h *Webhooks) remove(ctx context.Context, caller access.Key, in *OnePath) (*struct{}, error) {
	w, err := h.own(ctx, caller, in.WebhookID)
	if err != nil {
		return nil, err
	}
	return nil, access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		n, err := q.DeleteWebhook(ctx, db.DeleteWebhookParams{ID: w.ID, MerchantID: caller.MerchantID, Now: h.Clock()})
		if err == nil && n == 0 {
			return notFound("webhook")
		}
		return err
	})
}
