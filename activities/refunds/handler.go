package refunds

import (
	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/screening"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rates"
	"github.com/durapay/durapay/internal/secret"
)

// Handler has the activities of the refund workflow. They run as local activities: short
// transactions without external calls.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Prices answers from memory; it never waits for an exchange.
	Prices interface {
		Price(currency money.Currency) (rates.Quote, error)
	}
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate.
	FeeRate money.Decimal
	// Sanctioned looks up the addresses of claims.
	Sanctioned screening.Lookup
}

// Register adds the activities of refunds.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.CreateRefund)
	w.RegisterActivity(h.ClaimRefund)
	w.RegisterActivity(h.ApproveRefund)
	w.RegisterActivity(h.CancelRefund)
	w.RegisterActivity(h.AdvanceRefund)
}
