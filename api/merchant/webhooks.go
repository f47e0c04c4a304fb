package merchant

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/internal/webhook"
)

// maxWebhooks is how many webhooks a merchant may have.
const maxWebhooks = 10

type newWebhook struct {
	URL    string    `json:"url" doc:"http or https; an onion host only with use_tor" example:"https://shop.example.com/hooks/monero"`
	Events *[]string `json:"events,omitempty" enum:"charge.created,charge.pending,charge.confirmed,charge.late_confirmed,charge.expired,payout.sent" doc:"Default: charge.confirmed and charge.expired"`
	UseTor *bool     `json:"use_tor,omitempty" doc:"Deliver through the SOCKS5 proxy" default:"false"`
}

type webhookView struct {
	ID        string         `json:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	URL       string         `json:"url" example:"https://shop.example.com/hooks/monero"`
	Events    []string       `json:"events" doc:"Subscribed event names"`
	Status    string         `json:"status" enum:"active"`
	UseTor    int            `json:"use_tor" enum:"0,1" doc:"1 when delivered through the SOCKS5 proxy"`
	CreatedAt timestamp.Time `json:"created_at"`
}

type createdWebhook struct {
	ID        string         `json:"id" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
	URL       string         `json:"url" example:"https://shop.example.com/hooks/monero"`
	Events    []string       `json:"events" doc:"Subscribed event names"`
	Secret    string         `json:"secret" doc:"Key of the signatures, 64 hex digits; shown only now"`
	Status    string         `json:"status" enum:"active"`
	UseTor    int            `json:"use_tor" enum:"0,1" doc:"1 when delivered through the SOCKS5 proxy"`
	CreatedAt timestamp.Time `json:"created_at"`
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

// registerWebhooks adds what merchants do with webhooks.
func (h *webhooksRoom) registerWebhooks(api operations) {
	withSession(api, route{
		id: "createWebhook", method: http.MethodPost, path: "/api/webhooks", tag: tagWebhooks,
		summary: "Create a webhook",
		text: "At most 10 per merchant. Deliveries are signed: X-MERCHANT-SIGNATURE is the lowercase hex HMAC-SHA256 " +
			"of the raw body, keyed by the text of the secret.",
		request:  newWebhook{URL: "https://shop.example.com/hooks/monero"},
		response: withSecret(exampleWebhook(), exampleSecret),
	}, h.createWebhook)
	withSession(api, route{
		id: "listWebhooks", method: http.MethodGet, path: "/api/webhooks", tag: tagWebhooks,
		summary: "List webhooks", text: "Without their secrets.",
		response: webhookList{[]webhookView{exampleWebhook()}},
	}, h.listWebhooks)
	withSession(api, route{
		id: "deleteWebhook", method: http.MethodDelete, path: "/api/webhooks/{id}", tag: tagWebhooks,
		summary: "Delete a webhook", text: "Deliveries that have not been made yet are dropped.",
		errors:   []int{http.StatusNotFound},
		response: deletedWebhook{exampleWebhook().ID, true},
	}, h.deleteWebhook)
}

func (h *webhooksRoom) createWebhook(ctx context.Context, m db.Merchant, in *struct{ Body body[newWebhook] }) (*out[createdWebhook], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	row := db.InsertWebhookParams{
		ID: secret.NewID("wh_"), MerchantID: m.MerchantID, Url: fields.URL,
		UseTor: fields.UseTor != nil && *fields.UseTor, CreatedAt: h.Clock().Truncate(time.Millisecond),
	}
	if row.Events, err = eventsOf(fields.Events); err != nil {
		return nil, err
	}
	if err := outbound.CheckURL(row.Url, row.UseTor); err != nil {
		return nil, badRequest("url: %s", err)
	}
	key := secret.NewSecret()
	if row.SecretSealed, err = h.Box.Seal([]byte(key), secret.AD{Table: "webhooks", Column: "secret", ID: row.ID}); err != nil {
		return nil, err
	}
	made, err := h.insertWebhook(ctx, m, row)
	if err != nil {
		return nil, err
	}
	return answer(withSecret(webhookOf(made), key), nil)
}

// eventsOf checks a subscription and removes duplicates.
func eventsOf(asked *[]string) ([]string, error) {
	if asked == nil {
		return webhook.DefaultEvents(), nil
	}
	var events []string
	for _, name := range *asked {
		if !webhook.IsEvent(name) {
			return nil, badRequest("events may hold: %s", strings.Join(webhook.Events(), ", "))
		}
		if !slices.Contains(events, name) {
			events = append(events, name)
		}
	}
	if len(events) == 0 {
		return nil, badRequest("events must not be empty")
	}
	return events, nil
}

// insertWebhook holds the merchant's row meanwhile, so that two requests at
// once cannot pass the limit.
func (h *webhooksRoom) insertWebhook(ctx context.Context, m db.Merchant, row db.InsertWebhookParams) (made db.Webhook, err error) {
	err = change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.CountWebhooks(ctx, row.MerchantID)
		if err != nil {
			return fmt.Errorf("count webhooks: %w", err)
		}
		if n >= maxWebhooks {
			return badRequest("a merchant can have at most %d webhooks", maxWebhooks)
		}
		made, err = q.InsertWebhook(ctx, row)
		return err
	})
	return made, err
}

func webhookOf(w db.Webhook) webhookView {
	view := webhookView{ID: w.ID, URL: w.Url, Events: w.Events, Status: "active", CreatedAt: timestamp.Of(w.CreatedAt)}
	if w.UseTor {
		view.UseTor = 1
	}
	return view
}

func withSecret(w webhookView, key string) createdWebhook {
	return createdWebhook{
		ID: w.ID, URL: w.URL, Events: w.Events, Secret: key, Status: w.Status, UseTor: w.UseTor, CreatedAt: w.CreatedAt,
	}
}

func (h *webhooksRoom) listWebhooks(ctx context.Context, m db.Merchant, _ *none) (*out[webhookList], error) {
	rows, err := h.Store.ListWebhooks(ctx, m.MerchantID)
	if err != nil {
		return nil, err
	}
	list := webhookList{make([]webhookView, 0, len(rows))}
	for _, w := range rows {
		list.Webhooks = append(list.Webhooks, webhookOf(w))
	}
	return answer(list, nil)
}

func (h *webhooksRoom) deleteWebhook(ctx context.Context, m db.Merchant, in *webhookInput) (*out[deletedWebhook], error) {
	if !plainID(in.ID, "wh_") {
		return nil, notFound("webhook")
	}
	return answer(deletedWebhook{in.ID, true}, change(ctx, h.Store, m, func(q *db.Queries) error {
		n, err := q.DeleteWebhook(ctx, db.DeleteWebhookParams{ID: in.ID, MerchantID: m.MerchantID, Now: h.Clock()})
		if err == nil && n == 0 {
			return notFound("webhook")
		}
		return err
	}))
}

// ownsWebhook refuses a webhook that is not the merchant's.
func (h *webhooksRoom) ownsWebhook(ctx context.Context, merchantID, id string) error {
	if !plainID(id, "wh_") {
		return notFound("webhook")
	}
	_, err := h.Store.GetWebhook(ctx, db.GetWebhookParams{ID: id, MerchantID: merchantID})
	if postgres.IsNotFound(err) {
		return notFound("webhook")
	}
	return err
}
