package merchant

import (
	"net/http"

	"github.com/durapay/durapay/api/merchant/operation"
)

// probesRoom answers requests about probes.
type probesRoom struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register adds the probes.
func (h *probesRoom) Register(api operation.API) {
	h.registerSystem(api)
}
