package charges

import (
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about charges.
type Handler struct {
	Store *postgres.Store
	Start start.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the routes of merchants and of customers.
func (h *Handler) Register(api operation.API) {
	h.registerCharges(api)
	h.registerChargePublic(api)
	h.registerBuyerInfo(api)
}
