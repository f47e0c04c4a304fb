package payouts

import (
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/start"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler answers requests about payouts.
type Handler struct {
	Store *postgres.Store
	Start start.Workflows
	Clock func() time.Time
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate: 0.005
	// is half a percent.
	FeeRate money.Decimal
}

// Register registers the balance and its sweep.
func (h *Handler) Register(api operation.API) {
	h.registerPayouts(api)
}
