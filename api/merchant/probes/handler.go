package probes

import (
	"net/http"

	"github.com/durapay/durapay/api/merchant/operation"
)

// Handler answers the probes.
type Handler struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register registers the probes.
func (h *Handler) Register(api operation.API) {
	h.registerSystem(api)
}
