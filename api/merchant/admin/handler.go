package admin

import (
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/operator"
)

// Admin answers requests of operators.
type Admin struct {
	Admin *operator.Admin
}

// Register registers the operators' routes.
func (h *Admin) Register(api operation.API) {
	h.registerAdminMerchants(api)
	h.registerAdminHold(api)
	h.registerAdminWork(api)
	h.registerAdminWallets(api)
}
