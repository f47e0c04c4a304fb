package merchantwatch

import (
	"context"
	"log/slog"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
)

// Handler scans merchants' wallets and notifies charges and payouts of what
// changed.
type Handler struct {
	Store *postgres.Store
	// Wallets are by wallet ID, each with the daemon of its own chain; their spending
	// processes are not used.
	Wallets map[string]monero.WalletPair
	// SignalCharge tells a charge's workflow that its facts changed; it starts
	// one when the charge's own has ended.
	SignalCharge func(ctx context.Context, chargeID string) error
	// SignalPayout tells a payout's workflow that the chain grew; it starts one when
	// the payout has none, as after it was confirmed and dropped.
	SignalPayout func(ctx context.Context, payoutID, merchantID string) error
	// SignalRefund tells a refund's workflow that what its claims wait for may have
	// come; it starts one when the refund has none.
	SignalRefund func(ctx context.Context, refundID, merchantID string) error
	// Scanned is told of each scan: how many blocks the wallet is behind, and when
	// it was last scanned.
	Scanned func(walletID string, behind int64, at time.Time)
	// Rhythms say when a wallet is scanned, one for each wallet.
	Rhythms map[string]*scans.Rhythm
	Clock   func() time.Time
	Log     *slog.Logger
}

// Register adds the watching of a wallet.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.WatchWallet)
}
