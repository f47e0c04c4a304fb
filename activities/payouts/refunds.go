package payouts

import (
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Refunds has the activities of the refund workflow. They run as local activities: short
// transactions without external calls.
type Refunds struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sanctioned looks up the addresses of claims.
	Sanctioned sending.SanctionsLookup
}

// RegisterRefunds adds the activities of refunds.
func RegisterRefunds(w worker.ActivityRegistry, h *Refunds) {
	w.RegisterActivity(h.ClaimRefund)
	w.RegisterActivity(h.AdvanceRefund)
}
