// Package webhooks is the room for webhooks in BTCPay's format and for the log of their
// deliveries. They share the table and the delivery of all other webhooks.
package webhooks

import (
	"time"

	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about webhooks.
type Handler struct {
	Store    *postgres.Store
	Webhooks service.Webhooks
	Clock    func() time.Time
}

// Paths of webhooks.
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
func (h *Handler) Register(api dialect.API) {
	h.registerWebhooks(api)
	h.registerDeliveries(api)
}
