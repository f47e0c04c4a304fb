package service

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/outbound"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// maxWebhooks is the maximum number of a merchant's webhooks in a mode, of all dialects
// together.
const maxWebhooks = 10

// Webhooks creates webhooks.
type Webhooks struct {
	Box   *secret.Box
	Clock func() time.Time
}

// NewWebhook describes a webhook to create.
type NewWebhook struct {
	MerchantID string
	URL        string
	Events     []string
	// Secret signs the deliveries. If it is empty, Prepare generates one.
	Secret  string
	UseTor  bool
	Dialect webhook.Dialect
	// Mode is the mode whose events the webhook receives.
	Mode    config.Mode
	Retries webhook.Retries
	// Disabled is set for a webhook that receives no deliveries yet.
	Disabled bool
}

// Prepare returns the row of a webhook, and its secret. It refuses a URL as CheckWebhookURL does.
func (w Webhooks) Prepare(n NewWebhook) (db.InsertWebhookParams, string, error) {
	row := db.InsertWebhookParams{
		ID: secret.NewID("wh_"), MerchantID: n.MerchantID, Url: n.URL, Events: n.Events, UseTor: n.UseTor,
		Dialect: string(n.Dialect), Retries: string(n.Retries), Enabled: !n.Disabled, Mode: string(n.Mode), CreatedAt: w.Clock().Truncate(time.Millisecond),
	}
	if err := CheckWebhookURL(n.URL, n.UseTor); err != nil {
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
	return w.Box.Seal([]byte(key), secret.WebhookPlace.Of(id))
}

// CheckWebhookURL refuses a URL that the service must not call (400).
func CheckWebhookURL(target string, useTor bool) error {
	if err := outbound.CheckURL(target, useTor); err != nil {
		return &httpapi.Problem{Status: http.StatusBadRequest, Field: "url", Text: "url: " + err.Error()}
	}
	return nil
}

// ReplaceWebhook is InsertWebhook that first ends the webhooks that the new one replaces: those in BTCPay's
// dialect with the same mode and URL and no other events. A shop that connects again creates a
// webhook for the same URL, and then knows only the new secret. The new webhook takes over the
// pending deliveries of the newest one that it replaces; those of the older ones are dropped. A
// webhook that is created switched off replaces none.
func ReplaceWebhook(ctx context.Context, q *db.Queries, row db.InsertWebhookParams) (db.Webhook, error) {
	if !row.Enabled {
		return InsertWebhook(ctx, q, row)
	}
	former, err := q.EndFormerWebhooks(ctx, db.EndFormerWebhooksParams{
		Now: row.CreatedAt, MerchantID: row.MerchantID, Mode: row.Mode, Url: row.Url, Events: row.Events,
	})
	if err != nil {
		return db.Webhook{}, fmt.Errorf("former webhooks: %w", err)
	}
	made, err := InsertWebhook(ctx, q, row)
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

// InsertWebhook inserts a webhook. It refuses one beyond maxWebhooks (400). The caller holds the
// merchant's row, so that two simultaneous requests cannot exceed the limit.
func InsertWebhook(ctx context.Context, q *db.Queries, row db.InsertWebhookParams) (db.Webhook, error) {
	n, err := q.CountWebhooks(ctx, db.CountWebhooksParams{MerchantID: row.MerchantID, Mode: row.Mode})
	if err != nil {
		return db.Webhook{}, fmt.Errorf("count webhooks: %w", err)
	}
	if n >= maxWebhooks {
		return db.Webhook{}, httpapi.BadRequest("a merchant can have at most %d webhooks of a mode", maxWebhooks)
	}
	return q.InsertWebhook(ctx, row)
}
