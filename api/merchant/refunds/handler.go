package refunds

import (
	"context"

	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/refundlinks"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/refund"
)

// Handler answers requests about refunds.
type Handler struct {
	Links refundlinks.Links
	// Leave returns whether the caller may make a refund without approval. It is
	// auth.Guard.RefundLeave.
	Leave   func(ctx context.Context, caller auth.Key) (refund.Leave, error)
	Notices notice.Notices
}

// Register registers the routes of merchants and of buyers.
func (h *Handler) Register(api operation.API) {
	h.registerRefunds(api)
	h.registerPublic(api)
}
