package merchant

import (
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/internal/operator"
)

// adminRoom answers requests about operators.
type adminRoom struct {
	Admin *operator.Admin
}

// Register adds what operators do.
func (h *adminRoom) Register(api operation.API) {
	h.registerAdminMerchants(api)
	h.registerAdminWork(api)
}
