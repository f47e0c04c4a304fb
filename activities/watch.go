package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
)

// Watcher scans merchants' wallets and notifies charges and payouts of what
// changed.
type Watcher struct {
	Store   *postgres.Store
	Daemon  *monero.Daemon
	Wallets map[string]WalletPair
	// SignalCharge tells a charge's workflow that its facts changed; it starts
	// one when the charge's own has ended.
	SignalCharge func(ctx context.Context, chargeID string) error
	// SignalPayout tells a payout's workflow that the chain grew; it starts one when
	// the payout has none, as after it was confirmed and dropped.
	SignalPayout func(ctx context.Context, payoutID, merchantID string) error
	// Scanned is told of each scan: how many blocks the wallet is behind, and when
	// it was last scanned.
	Scanned  func(walletID string, behind int64, at time.Time)
	Interval time.Duration
	Clock    func() time.Time
	Log      *slog.Logger
}

// WatchWallet scans the wallet once per interval until its shift ends. A scan
// is stored together with the notifications that it calls for, so none is
// lost. A second watcher at the same time finds nothing left to do.
func (a *Watcher) WatchWallet(ctx context.Context, in WalletTask) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return everyInterval(ctx, a.Interval, scan)
}

// Scanner is a watcher of one wallet that remembers its last scan.
func (a *Watcher) Scanner(walletID string) (func(context.Context) error, error) {
	pair, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	receiver := xmrwallet.NewReceiver(a.Daemon, pair.Watch, pair.Deriver)
	w := &watch.Watcher{
		Wallet: receiver,
		Store:  &chargePayments{store: a.Store, wallet: receiver, walletID: walletID}, Clock: a.Clock, IgnoreContested: true,
		OlderFile: olderFile(a.Store, walletID),
	}
	notes := a.notifier(walletID)
	return func(ctx context.Context) error {
		found, err := w.Scan(ctx)
		if err == nil && found.NewBlock() {
			err = a.notifyPayouts(ctx, walletID)
		}
		err = reportScan(ctx, a.Scanned, walletID, w.Store, found, err)
		// What is pending is delivered while the wallet is away, too.
		return errors.Join(err, notes.deliver(ctx))
	}, nil
}

// notifyPayouts has every payout that waits for confirmations check again. If
// a signal is lost here, the next block's makes up for it.
func (a *Watcher) notifyPayouts(ctx context.Context, walletID string) error {
	open, err := a.Store.OpenPayouts(ctx, walletID)
	if err != nil {
		return err
	}
	merchants, ids := map[string]string{}, make([]string, len(open))
	for i, p := range open {
		merchants[p.ID], ids[i] = p.MerchantID, p.ID
	}
	signal := func(ctx context.Context, id string) error { return a.SignalPayout(ctx, id, merchants[id]) }
	send(ctx, ids, signal, func(id string, err error) {
		if err != nil {
			a.Log.WarnContext(ctx, "a payout was not told of a block", "payout", id, "error", err)
		}
	})
	return nil
}

// everyInterval scans until the shift ends.
func everyInterval(ctx context.Context, interval time.Duration, scan func(context.Context) error) error {
	end := time.After(shift)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	stop := heartbeat(ctx)
	defer stop()
	for {
		if err := scan(ctx); err != nil && !errors.Is(err, watch.ErrSuperseded) {
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

// reportScan reports a scan to the metrics, and passes its error on. While the
// wallet or the daemon lags, the time of the last scan grows old.
func reportScan(
	ctx context.Context, looked func(string, int64, time.Time), walletID string, store watch.Store, found watch.Scanned, err error,
) error {
	if err == nil {
		looked(walletID, 0, found.Now)
		return nil
	}
	lag, lags := errors.AsType[*chain.LagError](err)
	if !lags {
		return err
	}
	last, stateErr := store.State(ctx)
	if stateErr == nil && last.ScannedAt != nil {
		looked(walletID, int64(lag.Blocks), *last.ScannedAt)
	}
	return err
}

// olderFile alerts operators of a wallet file that is older than the database.
func olderFile(store *postgres.Store, walletID string) func(context.Context) error {
	return func(ctx context.Context) error {
		return store.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.WalletOlder, Subject: walletID,
			Detail: "the watching wallet did not know addresses that were handed out: it makes them and reads the chain anew",
		})
	}
}
