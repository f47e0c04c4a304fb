package refunds

import (
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/refundlinks"
)

// Handler answers requests about refunds.
type Handler struct{ Links refundlinks.Links }

// Register registers the routes of merchants and of buyers.
func (h *Handler) Register(api operation.API) {
	h.registerRefunds(api)
	h.registerPublic(api)
}
