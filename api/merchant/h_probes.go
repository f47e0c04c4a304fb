package merchant

import "net/http"

// probesRoom answers requests about probes.
type probesRoom struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register adds the probes.
func (h *probesRoom) Register(api operations) {
	h.registerSystem(api)
}
