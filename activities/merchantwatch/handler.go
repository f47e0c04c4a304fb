package merchantwatch

import (
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler scans merchants' wallets and wakes charges, payouts and refunds.
type Handler struct {
	Store *postgres.Store
	// Wallets are by wallet ID, each with the daemon of its own chain; their spending
	// processes are not used.
	Wallets map[string]monero.WalletPair
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, behind int64, at time.Time)
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*scans.Rhythm
	Clock   func() time.Time
}

// Register adds the watcher of a wallet.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.WatchWallet)
}
