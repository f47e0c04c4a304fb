// Package webhooks is the room of webhooks in BTCPay's shape and of the log of their
// deliveries. They lie in the table of all webhooks, and are delivered as all are.
package webhooks

import (
	"time"

	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/api/merchant/subscribe"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about webhooks.
type Handler struct {
	Store    *postgres.Store
	Webhooks subscribe.Webhooks
	Start    start.Workflows
	Clock    func() time.Time
}

// Where webhooks lie.
const (
	pathAll = "/api/v1/stores/{storeId}/webhooks"
	pathOne = pathAll + "/{webhookId}"
)

// StorePath names a store.
type StorePath struct {
	StoreID string `path:"storeId" doc:"Store: the merchant's identifier"`
}

// OnePath names a webhook in a store.
type OnePath struct {
	StorePath
	WebhookID string `path:"webhookId" doc:"Webhook identifier" example:"wh_0123456789abcdef01234567"`
}

// Register adds the routes.
func (h *Handler) Register(api route.API) {
	h.registerWebhooks(api)
	h.registerDeliveries(api)
}
