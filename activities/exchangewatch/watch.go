package exchangewatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/watch"
)

// overdueAfter is how long after its window a waiting trade counts as one without a
// workflow: it would reserve its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchExchange scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups. So the next run repeats an interrupted scan.
// A second watcher finds nothing left to do, or finds that it was superseded.
func (a *Handler) WatchExchange(ctx context.Context, in tasks.Wallet) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.WalletID].Keep(ctx, scan)
}

// Scanner returns a watcher of one wallet that remembers its last scan.
func (a *Handler) Scanner(walletID string) (scans.Scan, error) {
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
	w := &watch.Watcher{Wallet: restorable(wallet, a.Store, walletID), Store: store, Clock: a.Clock, OlderFile: scans.OlderFile(a.Store, walletID)}
	screening := &screening{store: a.Store, box: a.Secret, wallet: wallet, walletID: walletID, clock: a.Clock}
	scales := &scales{watcher: a, wallet: wallet, coin: store.coin, due: true}
	return func(ctx context.Context) (scans.Outcome, error) {
		found, err := w.Scan(ctx)
		if err == nil {
			err = scales.weigh(ctx, found)
		}
		unscreened, failed := screening.ask(ctx)
		err = scans.Report(ctx, a.Scanned, walletID, store, found, errors.Join(err, failed))
		a.Nudge()
		if err != nil {
			return scans.Outcome{}, errors.Join(err, a.tend(ctx, walletID))
		}
		made, err := a.fillAddresses(ctx, walletID)
		return scans.OutcomeOf(found, unscreened || made), err
	}, nil
}
