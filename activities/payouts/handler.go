package payouts

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/ordering"
	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Handler has the activities of the payout workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Daemon *monero.Daemon
	// Wallets are by wallet ID; only their spending processes are used.
	Wallets map[string]monero.WalletPair
	// Witness knows outside of the database which transactions may have been sent.
	Witness *witness.Keeper
	// FeeRate is the operator's share if neither the merchant nor a volume tier has a rate.
	FeeRate money.Decimal
	// Quotes and Swaps serve merchants who have their payouts swapped.
	Quotes Quotes
	Swaps  *ordering.SwapOrders
	// Sanctioned looks up the addresses that refunds pay.
	Sanctioned sending.SanctionsLookup
	// Finished receives the outcome of each payout that was sent or failed.
	Finished func(outcome payout.Status)
	Clock    func() time.Time
}

// Register adds the activities of payouts, except building.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.EstimateDust)
	w.RegisterActivity(h.CheckSweep)
	w.RegisterActivity(h.ReservePayout)
	w.RegisterActivity(h.ReserveClaim)
	w.RegisterActivity(h.DelayClaim)
	w.RegisterActivity(h.FindPayout)
	w.RegisterActivity(h.RelayPayout)
	w.RegisterActivity(h.CheckPayout)
	w.RegisterActivity(h.FailPayout)
	w.RegisterActivity(h.ReleasePayout)
}

// RegisterOutside adds the activity that calls providers.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.OrderPayoutSwap)
}

// RegisterBuilding adds the activities that build, for a queue that runs one at a time.
func RegisterBuilding(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.MeasurePayout)
	w.RegisterActivity(h.BuildPayout)
}
