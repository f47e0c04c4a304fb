package trades

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

// Payments makes the payments of the exchange.
type Payments struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Settings know the coins of the wallets.
	Settings exchange.Settings
	// Wallets are the exchange's wallets that this process reaches, by ID.
	Wallets map[string]chain.Wallet
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Witness knows outside of the database which transactions may have been sent.
	Witness *witness.Keeper
	Clock   func() time.Time
}

// RegisterPayments adds the checks of payments and the operators' requests.
func RegisterPayments(w worker.ActivityRegistry, h *Payments) {
	w.RegisterActivity(h.CheckTradePayments)
	w.RegisterActivity(h.RetryTradePayment)
	w.RegisterActivity(h.EndTrade)
}

// RegisterSending adds the activities that build and relay, for a queue that runs one at
// a time.
func RegisterSending(w worker.ActivityRegistry, h *Payments) {
	w.RegisterActivity(h.SendTradePayment)
	w.RegisterActivity(h.Consolidate)
}
