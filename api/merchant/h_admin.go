package merchant

import "github.com/durapay/durapay/internal/operator"

// adminRoom answers requests about operators.
type adminRoom struct {
	Admin *operator.Admin
}

// Register adds what operators do.
func (h *adminRoom) Register(api operations) {
	h.registerAdminMerchants(api)
	h.registerAdminWork(api)
}
