package webhooks

import (
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about webhooks.
type Handler struct {
	Store    *postgres.Store
	Webhooks service.Webhooks
	Clock    func() time.Time
}

// Register registers webhooks, the log of their deliveries and the feed.
func (h *Handler) Register(api operation.API) {
	h.registerWebhooks(api)
	h.registerDeliveries(api)
	h.registerFeed(api)
}
