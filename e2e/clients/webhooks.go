package clients

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// Webhook is a subscription; Secret is known from its creation only.
type Webhook struct {
	ID     string   `json:"id"`
	URL    string   `json:"url"`
	Events []string `json:"events"`
	Secret string   `json:"secret"`
	Status string   `json:"status"`
}

// AllEvents are the names that a webhook can subscribe to.
func AllEvents() []string {
	return []string{
		"charge.created", "charge.pending", "charge.confirmed", "charge.late_confirmed",
		"charge.expired", "payout.sent", "refund.created", "refund.claimed", "refund.sent", "refund.confirmed",
	}
}

// Delivery is a line of the delivery log.
type Delivery struct {
	ID         string          `json:"id"`
	WebhookID  string          `json:"webhook_id"`
	Event      string          `json:"event"`
	ResourceID string          `json:"resource_id"`
	Status     string          `json:"status"`
	HTTPStatus *int            `json:"http_status"`
	Attempts   int             `json:"attempts"`
	Error      *string         `json:"error"`
	Payload    json.RawMessage `json:"payload"`
	CreatedAt  time.Time       `json:"created_at"`
}

// CreateWebhook subscribes a URL to events.
func (c *Merchant) CreateWebhook(ctx context.Context, url string, events ...string) (Webhook, error) {
	var hook Webhook
	return hook, c.call(ctx, http.MethodPost, "/api/webhooks", map[string]any{"url": url, "events": events}, &hook)
}

// CreateLongWebhook subscribes a URL to events whose deliveries are tried for a day.
func (c *Merchant) CreateLongWebhook(ctx context.Context, url string, events ...string) (Webhook, error) {
	var hook Webhook
	return hook, c.call(ctx, http.MethodPost, "/api/webhooks", map[string]any{"url": url, "events": events, "retries": "long"}, &hook)
}

// CreateSandboxWebhook subscribes a URL to events of the sandbox.
func (c *Merchant) CreateSandboxWebhook(ctx context.Context, url string, events ...string) (Webhook, error) {
	var hook Webhook
	return hook, c.call(ctx, http.MethodPost, "/api/webhooks", map[string]any{"url": url, "events": events, "mode": "sandbox"}, &hook)
}

// CreateTorWebhook subscribes a URL to events that are delivered through Tor.
func (c *Merchant) CreateTorWebhook(ctx context.Context, url string, events ...string) (Webhook, error) {
	var hook Webhook
	body := map[string]any{"url": url, "events": events, "use_tor": true}
	return hook, c.call(ctx, http.MethodPost, "/api/webhooks", body, &hook)
}

// CreateBTCPayWebhook subscribes a URL to all events of invoices in BTCPay's shape.
func (c *Merchant) CreateBTCPayWebhook(ctx context.Context, merchantID, url string) (Webhook, error) {
	var hook Webhook
	return hook, c.callGreenfield(ctx, http.MethodPost, "/api/v1/stores/"+merchantID+"/webhooks", map[string]any{"url": url}, &hook)
}

// DeleteWebhook ends a subscription.
func (c *Merchant) DeleteWebhook(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, "/api/webhooks/"+id, nil, nil)
}

// Deliveries lists the newest deliveries of the key's mode, at most 500.
func (c *Merchant) Deliveries(ctx context.Context) ([]Delivery, error) {
	return c.deliveries(ctx, "/api/webhooks/deliveries?limit=500")
}

// DeliveriesOf lists the newest deliveries of one webhook, at most 200.
func (c *Merchant) DeliveriesOf(ctx context.Context, webhookID string) ([]Delivery, error) {
	return c.deliveries(ctx, "/api/webhooks/"+webhookID+"/deliveries?limit=200")
}

func (c *Merchant) deliveries(ctx context.Context, path string) ([]Delivery, error) {
	var list struct {
		Deliveries []Delivery `json:"deliveries"`
	}
	err := c.call(ctx, http.MethodGet, path, nil, &list)
	return list.Deliveries, err
}

// Redeliver requests the redelivery of a finished delivery.
func (c *Merchant) Redeliver(ctx context.Context, deliveryID string) error {
	return c.call(ctx, http.MethodPost, "/api/webhooks/deliveries/"+deliveryID+"/redeliver", nil, nil)
}
