package incoming

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/watch"
)

// Wallet is a wallet that this process serves.
type Wallet struct {
	// Receiver shows what it receives.
	Receiver chain.Receiver
	// Maker makes its addresses, and Ready is how many unused ones are kept.
	Maker Maker
	Ready int64
	// Inventory pays trades: the wallet itself at the exchange, nil for a wallet of merchants.
	Inventory chain.Wallet
}

// Watch scans wallets, and wakes the charges, payouts, refunds and trades that a scan
// concerns. It records what the exchange's wallets hold.
type Watch struct {
	Store *postgres.Store
	// Secret seals the origins of deposits.
	Secret *secret.Box
	// Wallets are by wallet ID.
	Wallets map[string]Wallet
	// Nudge has the outbox look for new wakeups now.
	Nudge func()
	// Scanned receives the result of each scan: how many blocks the wallet is behind, and
	// when it was last scanned.
	Scanned func(walletID string, behind int64, at time.Time)
	// Rhythms define when a wallet is scanned, one for each wallet.
	Rhythms map[string]*Rhythm
	Clock   func() time.Time
}

// overdueAfter is how long after its window a waiting trade counts as one without a
// workflow: it would reserve its inventory for ever.
const overdueAfter = 10 * time.Minute

// WatchWallet scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups, so none is lost, and the next run repeats an
// interrupted scan. A second watcher finds nothing left to do, or finds that it was
// superseded.
func (a *Watch) WatchWallet(ctx context.Context, in WalletTask) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.WalletID].Keep(ctx, scan)
}

// Scanner returns a watcher of one wallet that remembers its last scan.
func (a *Watch) Scanner(walletID string) (Scan, error) {
	if walletID == charge.SimulatedWallet {
		return a.scanSimulated, nil
	}
	wallet, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	store := &payments{store: a.Store, wallet: wallet.Receiver, walletID: walletID, box: a.Secret}
	w := &watch.Watcher{Wallet: restorable(wallet.Receiver, a.Store, walletID), Store: store, Clock: a.Clock, FromTip: true, PageBlocks: pageBlocks, OlderFile: store.olderFile}
	form := &unknownForm{store: a.Store, walletID: walletID, open: true}
	after := a.afterScan(walletID)
	if wallet.Inventory != nil {
		after = a.afterExchangeScan(store, wallet.Inventory)
	}
	return func(ctx context.Context) (Outcome, error) {
		found, err := w.Scan(ctx)
		unfinished, failed := after(ctx, found, err)
		err = report(ctx, a.Scanned, walletID, store, found, errors.Join(err, failed, form.report(ctx, err)))
		a.Nudge()
		if err != nil {
			return Outcome{}, err
		}
		return outcomeOf(found, unfinished), nil
	}, nil
}

// follow is what follows a scan that ended with an error or nil. It reports whether something
// remains to do.
type follow func(ctx context.Context, found watch.Scanned, scanned error) (unfinished bool, err error)

// afterScan wakes the refunds that a new block can have made payable.
func (a *Watch) afterScan(walletID string) follow {
	return func(ctx context.Context, found watch.Scanned, scanned error) (bool, error) {
		if scanned == nil && found.NewBlock() {
			a.Nudge()
			return false, a.wakeRefunds(ctx, walletID)
		}
		return false, nil
	}
}

// afterExchangeScan reads the balance after a scan, and the origins that are due.
func (a *Watch) afterExchangeScan(store *payments, wallet chain.Wallet) follow {
	screening := &screening{payments: store, clock: a.Clock}
	scales := &scales{store: a.Store, clock: a.Clock, wallet: wallet, walletID: store.walletID, due: true}
	return func(ctx context.Context, found watch.Scanned, scanned error) (bool, error) {
		var weighed error
		if scanned == nil {
			weighed = scales.weigh(ctx, found)
		}
		more, failed := screening.ask(ctx)
		return more, errors.Join(weighed, failed)
	}
}

// payableClaims is how many claims are looked at for a block. recalculateAfter is the age
// at which the amount that a claim needs is calculated again.
const (
	payableClaims    = 1000
	recalculateAfter = time.Hour
)

// wakeRefunds wakes refunds whose claims can be paid now: money has matured or was freed,
// the previous payout was sent, or the merchant has set an address. It also wakes refunds with
// a payment of their shop that a block may have taken, made deeper or dropped. Other refunds
// are not woken. A refund that is missed is found at the next block.
func (a *Watch) wakeRefunds(ctx context.Context, walletID string) error {
	if err := a.Store.WakeUnsettledRefunds(ctx, walletID); err != nil {
		return err
	}
	claims, err := a.Store.PayableClaims(ctx, db.PayableClaimsParams{WalletID: walletID, Now: a.Clock(), ReckonedSince: a.Clock().Add(-recalculateAfter), MaxRows: payableClaims})
	if err != nil || len(claims) == 0 {
		return err
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.RefundID)
	}
	return a.Store.WakeRefunds(ctx, ids)
}
