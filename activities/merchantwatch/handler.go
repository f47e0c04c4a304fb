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

// Handler scans merchants' wallets and notifies charges, payouts and refunds of changes.
type Handler struct {
	Store *postgres.Store
	// Wallets are by wallet ID, each with the daemon of its own chain; their spending
	// processes are not used.
	Wallets map[string]monero.WalletPair
	// SignalCharge signals a charge's workflow that its facts changed. If the workflow has
	// ended, the signal starts a new run.
	SignalCharge func(ctx context.Context, chargeID string) error
	// SignalPayout signals a payout's workflow that the chain grew. If the payout has no
	// workflow, for example after it was confirmed and dropped, the signal starts one.
	SignalPayout func(ctx context.Context, payoutID, merchantID string) error
	// SignalRefund signals a refund's workflow that money for its claims may have come. If
	// the refund has no workflow, the signal starts one.
	SignalRefund func(ctx context.Context, refundID, merchantID string) error
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, behind int64, at time.Time)
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*scans.Rhythm
	Clock   func() time.Time
	Log     *slog.Logger
}

// Register adds the watcher of a wallet.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.WatchWallet)
}
