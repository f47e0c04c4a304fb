package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Trades are the activities of the trade workflow.
type Trades struct {
	Store  *postgres.Store
	Secret *secret.Box
	Quoter *exchange.Quoter
	// Sanctioned says whether one of the addresses is on the sanctions list in
	// force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Window is how long a deposit may take.
	Window time.Duration
	// ConfirmGrace is for how long after that the rate is still locked for a
	// deposit that was seen in time, see trade.Trade.Grace.
	ConfirmGrace time.Duration
	Clock        func() time.Time
}

// Register_trades adds what trades do.
func Register_trades(w worker.ActivityRegistry, h *Trades) {
	w.RegisterActivity(h.CreateTrade)
	w.RegisterActivity(h.AdvanceTrade)
	w.RegisterActivity(h.PlanRoutes)
	w.RegisterActivity(h.PlaceOrder)
	w.RegisterActivity(h.FollowTrade)
}
