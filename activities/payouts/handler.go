package payouts

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/screening"
	"github.com/durapay/durapay/activities/swaporders"
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
	// Witness knows outside of the database what may have been sent.
	Witness *witness.Keeper
	// FeeRate is the operator's share where neither the merchant nor a volume
	// tier has a rate.
	FeeRate money.Decimal
	// Quotes and Swaps serve merchants who have their payouts swapped.
	Quotes Quotes
	Swaps  *swaporders.Orders
	// Sanctioned is asked about the addresses that refunds pay.
	Sanctioned screening.Lookup
	// Finished is told of each payout that was sent or failed.
	Finished func(outcome payout.Status)
	Clock    func() time.Time
}

// Register adds what payouts do beside building.
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

// RegisterOutside adds what asks providers.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.OrderPayoutSwap)
}

// RegisterBuilding adds what a wallet builds, for a queue that does one thing at a time.
func RegisterBuilding(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.MeasurePayout)
	w.RegisterActivity(h.BuildPayout)
}
