package exchangewatch

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Handler scans the exchange's wallets for deposits, notifies their trades, and records
// what the wallets hold. It also keeps deposit addresses ready.
type Handler struct {
	Store *postgres.Store
	// Secret seals the origins of deposits.
	Secret   *secret.Box
	Settings exchange.Settings
	Wallets  map[string]chain.Wallet
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*scans.Rhythm
	// Ready is how many unused deposit addresses are kept.
	Ready int64
	// Witness decides which addresses may be handed out.
	Witness *witness.Keeper
	Clock   func() time.Time
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, lag int64, at time.Time)
}

// Register adds the watcher of a wallet.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.WatchExchange)
}
