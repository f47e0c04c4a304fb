package buttons

import (
	"time"

	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about buttons.
type Handler struct {
	Store  *postgres.Store
	Start  start.Workflows
	Limits *limits.Limits
	Clock  func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the route of payment buttons.
func (h *Handler) Register(api operation.API) {
	h.registerButton(api)
}
