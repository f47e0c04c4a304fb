package merchant

import (
	"time"

	"github.com/durapay/durapay/internal/postgres"
)

// chargesRoom answers requests about charges.
type chargesRoom struct {
	Store *postgres.Store
	Start starter
	Clock func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register adds what merchants do with charges and what customers see of them.
func (h *chargesRoom) Register(api operations) {
	h.registerCharges(api)
	h.registerChargePublic(api)
	h.registerBuyerInfo(api)
}
