package clients

import (
	"context"
	"encoding/json"
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
	Attempts   int             `json:"attempts"`
	Error      *string         `json:"error"`
	Payload    json.RawMessage `json:"payload"`
	CreatedAt  time.Time       `json:"created_at"`
}

// NewWebhook is the request of a subscription.
type NewWebhook struct {
	URL    string   `json:"url"`
	Events []string `json:"events"`
	// Retries are long for deliveries that are tried for a day.
	Retries string `json:"retries,omitempty"`
	// Mode is sandbox for events of the sandbox.
	Mode string `json:"mode,omitempty"`
	// UseTor has events delivered through Tor.
	UseTor bool `json:"use_tor,omitempty"`
}

// CreateWebhook subscribes a URL to events.
func (c *Merchant) CreateWebhook(ctx context.Context, url string, events ...string) (Webhook, error) {
	return c.Subscribe(ctx, NewWebhook{URL: url, Events: events})
}

// Subscribe creates a webhook.
func (c *Merchant) Subscribe(ctx context.Context, n NewWebhook) (Webhook, error) {
	return post[Webhook](ctx, c, "/api/webhooks", n)
}

// CreateBTCPayWebhook subscribes a URL to all events of invoices in BTCPay's shape.
func (c *Merchant) CreateBTCPayWebhook(ctx context.Context, merchantID, url string) (Webhook, error) {
	var hook Webhook
	return hook, c.callAs(ctx, map[string]string{"Authorization": "token " + c.APIKey},
		"POST /api/v1/stores/"+merchantID+"/webhooks", map[string]any{"url": url}, &hook)
}

// Deliveries lists the newest deliveries of the key's mode, at most 500.
func (c *Merchant) Deliveries(ctx context.Context) ([]Delivery, error) {
	return list[Delivery](ctx, c, "/api/webhooks/deliveries?limit=500", "deliveries")
}

// DeliveriesOf lists the newest deliveries of one webhook, at most 200.
func (c *Merchant) DeliveriesOf(ctx context.Context, webhookID string) ([]Delivery, error) {
	return list[Delivery](ctx, c, "/api/webhooks/"+webhookID+"/deliveries?limit=200", "deliveries")
}

// Redeliver requests the redelivery of a finished delivery.
func (c *Merchant) Redeliver(ctx context.Context, deliveryID string) error {
	return c.call(ctx, "POST /api/webhooks/deliveries/"+deliveryID+"/redeliver", nil, nil)
}
