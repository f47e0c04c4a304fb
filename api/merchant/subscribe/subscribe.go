// Package subscribe makes webhooks, in any shape: one limit, one place where a
// secret is sealed, one rule for the URLs that may be told.
package subscribe

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// MaxWebhooks is how many webhooks of a mode a merchant may have, of all shapes together.
const MaxWebhooks = 10

// Webhooks makes webhooks.
type Webhooks struct {
	Box   *secret.Box
	Clock func() time.Time
}

// New is a webhook to be made.
type New struct {
	MerchantID string
	URL        string
	Events     []string
	// Secret signs the deliveries; empty for one that is made here.
	Secret  string
	UseTor  bool
	Dialect webhook.Dialect
	// Mode is the mode whose events it hears.
	Mode    config.Mode
	Retries webhook.Retries
	// Disabled is set for one that nothing is delivered to yet.
	Disabled bool
}

// Prepare is the row of a webhook, and its secret. The error says what is wrong
// with the URL; see CheckURL.
func (w Webhooks) Prepare(n New) (db.InsertWebhookParams, string, error) {
	row := db.InsertWebhookParams{
		ID: secret.NewID("wh_"), MerchantID: n.MerchantID, Url: n.URL, Events: n.Events, UseTor: n.UseTor,
		Dialect: string(n.Dialect), Retries: string(n.Retries), Enabled: !n.Disabled, Mode: string(n.Mode), CreatedAt: w.Clock().Truncate(time.Millisecond),
	}
	if err := CheckURL(n.URL, n.UseTor); err != nil {
		return row, "", err
	}
	if n.Secret == "" {
		n.Secret = secret.NewSecret()
	}
	var err error
	row.SecretSealed, err = w.Seal(row.ID, n.Secret)
	return row, n.Secret, err
}

// Seal seals the secret of a webhook.
func (w Webhooks) Seal(id, key string) ([]byte, error) {
	return w.Box.Seal([]byte(key), secret.WebhookPlace(id))
}

// CheckURL refuses (400) what may not be told.
func CheckURL(target string, useTor bool) error {
	if err := outbound.CheckURL(target, useTor); err != nil {
		return &answer.Problem{Status: http.StatusBadRequest, Field: "url", Text: "url: " + err.Error()}
	}
	return nil
}

// Replace is Insert that first ends what the webhook takes the place of: a shop that is
// connected again makes a webhook for the same URL, and knows the secret of the new one
// alone. What the newest of these has not told yet the new one tells. One that is switched
// off takes no place.
func Replace(ctx context.Context, q *db.Queries, row db.InsertWebhookParams) (db.Webhook, error) {
	if !row.Enabled {
		return Insert(ctx, q, row)
	}
	former, err := q.EndFormerWebhooks(ctx, db.EndFormerWebhooksParams{
		Now: row.CreatedAt, MerchantID: row.MerchantID, Mode: row.Mode, Url: row.Url, Events: row.Events,
	})
	if err != nil {
		return db.Webhook{}, fmt.Errorf("former webhooks: %w", err)
	}
	made, err := Insert(ctx, q, row)
	if err != nil || len(former) == 0 {
		return made, err
	}
	if err := q.HandOnDeliveries(ctx, db.HandOnDeliveriesParams{ID: made.ID, Former: former[0]}); err != nil {
		return db.Webhook{}, fmt.Errorf("deliveries of a former webhook: %w", err)
	}
	if err := q.DropDeliveries(ctx, former[1:]); err != nil {
		return db.Webhook{}, fmt.Errorf("deliveries of former webhooks: %w", err)
	}
	return made, nil
}

// Insert writes a webhook, unless the merchant has as many of its mode as one may have (400).
// The merchant's row is held by the caller, so that two requests at once cannot pass
// the limit.
func Insert(ctx context.Context, q *db.Queries, row db.InsertWebhookParams) (db.Webhook, error) {
	n, err := q.CountWebhooks(ctx, db.CountWebhooksParams{MerchantID: row.MerchantID, Mode: row.Mode})
	if err != nil {
		return db.Webhook{}, fmt.Errorf("count webhooks: %w", err)
	}
	if n >= MaxWebhooks {
		return db.Webhook{}, answer.BadRequest("a merchant can have at most %d webhooks of a mode", MaxWebhooks)
	}
	return q.InsertWebhook(ctx, row)
}
