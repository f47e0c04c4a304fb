package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
)

// Watcher looks at wallets and tells charges and payouts what changed.
type Watcher struct {
	Store   *postgres.Store
	Daemon  *monero.Daemon
	Wallets map[string]WalletPair
	// SignalCharge tells a charge's workflow that its facts changed; it starts
	// one when the charge's own has ended.
	SignalCharge func(ctx context.Context, chargeID string) error
	// SignalPayout tells a payout's workflow that the chain grew.
	SignalPayout func(ctx context.Context, payoutID string) error
	// Looked is told of each look: how many blocks the wallet is behind.
	Looked   func(walletID string, behind int64, at time.Time)
	Interval time.Duration
	Clock    func() time.Time
	Log      *slog.Logger
}

// WatchWallet looks at the wallet once per interval until its shift ends.
// What it finds is compared with the database in one transaction, so a second
// watcher at the same time finds nothing left to do; signals are noted in
// that transaction and sent after it, so none is lost.
func (a *Watcher) WatchWallet(ctx context.Context, in WalletTask) error {
	pair, ok := a.Wallets[in.WalletID]
	if !ok {
		return fmt.Errorf("wallet %s is not configured here", in.WalletID)
	}
	end := time.After(shift)
	tick := time.NewTicker(a.Interval)
	defer tick.Stop()
	stop := beat(ctx)
	defer stop()
	look := &look{watcher: a, walletID: in.WalletID, wallet: pair.Watch}
	for {
		if err := look.once(ctx); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-end:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-activity.GetWorkerStopChannel(ctx):
			return errors.New("the worker is stopping")
		}
	}
}
