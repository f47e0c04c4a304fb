package webhooks

import (
	"context"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
)

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

func exampleFields() fields {
	target := "https://shop.example.com/?wc-api=btcpay"
	return fields{URL: &target}
}

func exampleData() WebhookData {
	return WebhookData{
		ID: "wh_0123456789abcdef01234567", Enabled: true, AutomaticRedelivery: true, URL: *exampleFields().URL,
		AuthorizedEvents: authorizedEvents{true, webhook.BTCPayEvents()},
	}
}

func (h *Handler) registerWebhooks(api dialect.API) {
	add := func(id, method, path, summary, text string, errors ...int) dialect.Route {
		return dialect.Route{
			ID: "Webhooks_" + id, Method: method, Path: path, Tag: dialect.TagWebhooks, Permission: permission.ModifyWebhooks,
			Summary: summary, Text: text, Errors: errors, Response: exampleData(),
		}
	}
	create := add("CreateWebhook", http.MethodPost, pathAll, "Create a webhook",
		"Deliveries carry BTCPay-Sig: sha256= and the lowercase hex HMAC-SHA256 of the raw body, keyed by the text of the secret. At most 10 "+
			"webhooks per merchant and mode, those of the merchant API among them. It takes the place of webhooks of this shape and mode for the same url that hear of nothing "+
			"else, and of what they have not told yet: a shop that is connected again leaves none behind. It hears events of the mode of the key that makes it, and keys of the other mode do not see it.")
	create.Confirmed = true
	create.Request, create.Response = exampleFields(), createdWebhook{exampleData(), example.Secret}
	dialect.WithKey(api, create, h.create)
	list := add("GetWebhooks", http.MethodGet, pathAll, "List webhooks", "Those of this shape and of the key's mode, newest first, without their secrets.")
	list.Response = []WebhookData{exampleData()}
	dialect.WithKey(api, list, h.list)
	dialect.WithKey(api, add("GetWebhook", http.MethodGet, pathOne, "Get a webhook", "Without its secret.", http.StatusNotFound), h.get)
	update := add("UpdateWebhook", http.MethodPut, pathOne, "Change a webhook",
		"What is null gets its default, but a secret that is null stays what it was.", http.StatusNotFound)
	update.Confirmed, update.Request = true, exampleFields()
	dialect.WithKey(api, update, h.update)
	remove := add("DeleteWebhook", http.MethodDelete, pathOne, "Delete a webhook", "Deliveries that have not been made yet are dropped.", http.StatusNotFound)
	remove.Response = nil
	dialect.WithKey(api, remove, h.remove)
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
			return nil, dialect.Invalid("authorizedEvents.specificEvents", "there is no event %q", name)
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
		return n, dialect.Invalid("url", "url is required")
	}
	n.URL, n.UseTor = *f.URL, outbound.IsOnion(*f.URL)
	if f.AutomaticRedelivery != nil && !*f.AutomaticRedelivery {
		n.Retries = webhook.Once
	}
	if f.Secret != nil {
		if len(*f.Secret) > maxSecret || !utf8.ValidString(*f.Secret) {
			return n, dialect.Invalid("secret", "secret must have at most %d bytes of UTF-8", maxSecret)
		}
		n.Secret = *f.Secret
	}
	var err error
	n.Events, err = f.events()
	return n, err
}

func (h *Handler) create(ctx context.Context, caller access.Key, in *struct {
	StorePath
	Body httpapi.Body[fields]
},
) (*httpapi.Out[createdWebhook], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
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

func (h *Handler) list(ctx context.Context, caller access.Key, _ *StorePath) (*httpapi.Out[[]WebhookData], error) {
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
func (h *Handler) own(ctx context.Context, caller access.Key, id string) (db.Webhook, error) {
	if !httpapi.PlainID(id, "wh_") {
		return db.Webhook{}, dialect.NotFound("webhook")
	}
	w, err := h.Store.GetWebhook(ctx, db.GetWebhookParams{ID: id, MerchantID: caller.MerchantID})
	if postgres.IsNotFound(err) || (err == nil && (w.Mode != string(caller.Mode) || w.Dialect != string(webhook.BTCPay))) {
		return db.Webhook{}, dialect.NotFound("webhook")
	}
	return w, err
}

func (h *Handler) get(ctx context.Context, caller access.Key, in *OnePath) (*httpapi.Out[WebhookData], error) {
	w, err := h.own(ctx, caller, in.WebhookID)
	return httpapi.With(dataOf(w), err)
}

func (h *Handler) update(ctx context.Context, caller access.Key, in *writing) (*httpapi.Out[WebhookData], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
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
		if postgres.IsNotFound(err) {
			return dialect.NotFound("webhook")
		}
		return err
	})
	return httpapi.With(dataOf(saved), err)
}

func (h *Handler) remove(ctx context.Context, caller access.Key, in *OnePath) (*struct{}, error) {
	w, err := h.own(ctx, caller, in.WebhookID)
	if err != nil {
		return nil, err
	}
	return nil, access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		n, err := q.DeleteWebhook(ctx, db.DeleteWebhookParams{ID: w.ID, MerchantID: caller.MerchantID, Now: h.Clock()})
		if err == nil && n == 0 {
			return dialect.NotFound("webhook")
		}
		return err
	})
}
