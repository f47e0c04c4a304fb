package prices

import (
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/operation"
)

// Handler answers requests about prices.
type Handler struct {
	Prices checkout.Prices
}

// Register registers the route of the price.
func (h *Handler) Register(api operation.API) {
	h.registerPrice(api)
}
