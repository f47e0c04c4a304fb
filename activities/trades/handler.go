package trades

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Handler has the activities of the trade workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	Quoter *exchange.Quoter
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Window is how long a deposit to another provider may take.
	Window time.Duration
	// ConfirmGrace is how long after that the rate is still locked for a deposit that was
	// seen in time, see trade.Trade.Grace.
	ConfirmGrace time.Duration
	Clock        func() time.Time
}

// Register adds the activities of trades, except those that call providers.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.AdvanceTrade)
}

// RegisterOutside adds the activities that call other providers.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.PlaceOrder)
	w.RegisterActivity(h.FollowTrade)
}
