package refunds

import (
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/screening"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Handler has the activities of the refund workflow. They run as local activities: short
// transactions without external calls.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sanctioned looks up the addresses of claims.
	Sanctioned screening.Lookup
}

// Register adds the activities of refunds.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.ClaimRefund)
	w.RegisterActivity(h.AdvanceRefund)
}
