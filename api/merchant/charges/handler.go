package charges

import (
	"time"

	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
)

func exampleNewCharge() any {
	return map[string]any{
		"amount": money.MustDecimal("49.9"), "currency": money.USD,
		"metadata": map[string]string{"order_id": "A-1001", "description": "Two tickets", "return_url": "https://shop.example.com/thanks"},
	}
}

// Charges answers requests about charges.
type Charges struct {
	Store *postgres.Store
	Start service.Workflows
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the routes of merchants and of customers.
func (h *Charges) Register(api operation.API) {
	h.registerCharges(api)
	h.registerChargePublic(api)
	h.registerBuyerInfo(api)
}
