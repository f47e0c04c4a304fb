package exchangepayments

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Handler makes what the exchange pays.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Settings know the coins of the wallets.
	Settings exchange.Settings
	// Wallets are the exchange's wallets that this process reaches, by ID.
	Wallets map[string]chain.Wallet
	// Sanctioned says whether one of the addresses is on the sanctions list in
	// force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Witness knows outside of the database what may have been sent.
	Witness *witness.Keeper
	Clock   func() time.Time
}

// Register adds the checks of payments and what operators ask for.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.CheckTradePayments)
	w.RegisterActivity(h.RetryTradePayment)
	w.RegisterActivity(h.EndTrade)
}

// RegisterSending adds what builds and relays, for a queue that does one thing at a time.
func RegisterSending(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.SendTradePayment)
	w.RegisterActivity(h.Consolidate)
}
