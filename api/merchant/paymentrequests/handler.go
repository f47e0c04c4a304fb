package paymentrequests

import (
	"log/slog"
	"time"

	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about payment requests.
type Handler struct {
	Store  *postgres.Store
	Start  start.Workflows
	Prices checkout.Prices
	Limits *limits.Limits
	Clock  func() time.Time
	Log    *slog.Logger
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the routes of merchants and of customers.
func (h *Handler) Register(api operation.API) {
	h.registerRequests(api)
	h.registerRequestPublic(api)
}
