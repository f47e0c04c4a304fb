package charges

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/rates"
)

// Handler makes charges, for the API, and has the activities of the charge workflow. They
// run as local activities: short transactions, no calls to the outside.
type Handler struct {
	Store *postgres.Store
	// Prices answers from memory; it never waits for an exchange.
	Prices interface {
		Price(currency money.Currency) (rates.Quote, error)
	}
	Rules                 charge.Rules
	ChargeTimeout         time.Duration
	ButtonChargeTimeout   time.Duration
	ConfirmationsRequired int32
	// ConfirmationSteps, when there are any, stand instead of ConfirmationsRequired.
	ConfirmationSteps charge.Steps
	TolerancePercent  money.Decimal
	// PendingMax is how many charges of a merchant may be pending who has no number
	// of their own; 0 stands for charge.MaxPending.
	PendingMax int32
	// Simulated is set where charges of the sandbox are simulated: no wallet has them.
	Simulated bool
	// SandboxWallets are the wallets of mode sandbox that are configured: where a
	// merchant's own is not among them, another takes its place.
	SandboxWallets []string
	// PublicURL is the base URL of payment pages, without a trailing slash.
	PublicURL string
}

// Register adds what charges do.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.AdvanceCharge)
	w.RegisterActivity(h.AcceptUnderpaid)
	w.RegisterActivity(h.MarkCharge)
}
