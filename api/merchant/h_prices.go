package merchant

import (
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/operation"
)

// pricesRoom answers requests about prices.
type pricesRoom struct {
	Prices checkout.Prices
}

// Register adds the price of XMR.
func (h *pricesRoom) Register(api operation.API) {
	h.registerPrice(api)
}
