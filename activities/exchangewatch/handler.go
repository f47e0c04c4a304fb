package exchangewatch

import (
	"context"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness"
)

// Handler scans the exchange's wallets: what came in, which trades that
// concerns, and what the wallets hold. It also keeps deposit addresses ready.
type Handler struct {
	Store *postgres.Store
	// Secret seals where deposits come from.
	Secret   *secret.Box
	Settings exchange.Settings
	Wallets  map[string]chain.Wallet
	// SignalTrade tells a trade's workflow that its facts changed; it starts
	// one when the trade's own has ended.
	SignalTrade func(ctx context.Context, tradeID string) error
	// Rhythms say when a wallet is scanned, one for each wallet.
	Rhythms map[string]*scans.Rhythm
	// Ready is how many unused deposit addresses are kept.
	Ready int64
	// Witness says which addresses may be handed out.
	Witness *witness.Keeper
	Clock   func() time.Time
	// Scanned is told of each scan: how many blocks the wallet is behind, and when
	// it was last scanned.
	Scanned func(walletID string, lag int64, at time.Time)
}

// Register adds the watching of a wallet.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.WatchExchange)
}
