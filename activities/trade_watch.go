package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/witness"
)

// ExchangeWatcher scans the exchange's wallets: what came in, which trades that
// concerns, and what the wallets hold. It also keeps deposit addresses ready.
type ExchangeWatcher struct {
	Store *postgres.Store
	// Secret seals where deposits come from.
	Secret   *secret.Box
	Settings exchange.Settings
	Wallets  map[string]chain.Wallet
	// SignalTrade tells a trade's workflow that its facts changed; it starts
	// one when the trade's own has ended.
	SignalTrade func(ctx context.Context, tradeID string) error
	Interval    time.Duration
	// Ready is how many unused deposit addresses are kept.
	Ready int64
	// Witness says which addresses may be handed out.
	Witness *witness.Keeper
	Clock   func() time.Time
	// Scanned is told of each scan: how many blocks the wallet is behind, and when
	// it was last scanned.
	Scanned func(walletID string, lag int64, at time.Time)
}

// overdueAfter is how long after its window a waiting trade counts as one that
// nobody carries: it would reserve its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchExchange scans the wallet once per interval until its shift ends. A
// scan is stored together with the notifications that it calls for. So a scan
// that is cut off is made again, and a second watcher finds nothing left to
// do, or that it was superseded.
func (a *ExchangeWatcher) WatchExchange(ctx context.Context, in WalletTask) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return everyInterval(ctx, a.Interval, scan)
}

// Scanner is a watcher of one wallet that remembers its last scan.
func (a *ExchangeWatcher) Scanner(walletID string) (func(context.Context) error, error) {
	wallet, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	store := &tradeDeposits{store: a.Store, box: a.Secret, wallet: wallet, coin: exchange.Coin{WalletID: walletID}}
	for _, c := range a.Settings.Coins() {
		if c.WalletID == walletID {
			store.coin = c
		}
	}
	w := &watch.Watcher{Wallet: restorable(wallet, a.Store, walletID), Store: store, Clock: a.Clock, OlderFile: olderFile(a.Store, walletID)}
	screening := &screening{store: a.Store, box: a.Secret, wallet: wallet, walletID: walletID, clock: a.Clock}
	notes, scales := a.notifier(walletID), &scales{watcher: a, wallet: wallet, coin: store.coin, due: true}
	return func(ctx context.Context) error {
		found, err := w.Scan(ctx)
		if err == nil {
			err = scales.weigh(ctx, found)
		}
		err = reportScan(ctx, a.Scanned, walletID, store, found, errors.Join(err, screening.ask(ctx)))
		if err := errors.Join(err, notes.deliver(ctx)); err != nil {
			return err
		}
		return a.fillAddresses(ctx, walletID)
	}, nil
}
