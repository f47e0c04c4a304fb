package merchantwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/watch"
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

// WatchWallet scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting wakeups, so none is lost. A second watcher at the
// same time finds nothing left to do.
func (a *Handler) WatchWallet(ctx context.Context, in tasks.Wallet) error {
	scan, err := a.Scanner(in.WalletID)
	if err != nil {
		return err
	}
	return a.Rhythms[in.WalletID].Keep(ctx, scan)
}

// Scanner returns a watcher of one wallet that remembers its last scan.
func (a *Handler) Scanner(walletID string) (scans.Scan, error) {
	if walletID == charge.SimulatedWallet {
		return a.scanSimulated, nil
	}
	pair, ok := a.Wallets[walletID]
	if !ok {
		return nil, fmt.Errorf("wallet %s is not configured here", walletID)
	}
	receiver := xmrwallet.NewReceiver(pair.Daemon, pair.Watch, pair.Deriver)
	w := &watch.Watcher{
		Wallet: receiver,
		Store:  &chargePayments{store: a.Store, wallet: receiver, walletID: walletID}, Clock: a.Clock, IgnoreContested: true,
		OlderFile: scans.OlderFile(a.Store, walletID),
	}
	return func(ctx context.Context) (scans.Outcome, error) {
		found, err := w.Scan(ctx)
		err = scans.Report(ctx, a.Scanned, walletID, w.Store, found, err)
		if errors.Is(err, watch.ErrSuperseded) {
			return scans.Outcome{}, nil // the payments that it found must still be stored
		}
		a.Nudge()
		if err == nil && found.NewBlock() {
			err = a.wakeRefunds(ctx, walletID)
			a.Nudge()
		}
		return scans.OutcomeOf(found, false), err
	}, nil
}

// payableClaims is how many claims are looked at for a block. reckonedAnew is the age at
// which the amount that a claim needs is calculated again.
const (
	payableClaims = 1000
	reckonedAnew  = time.Hour
)

// wakeRefunds wakes refunds whose claims can be paid now: money has matured or was freed,
// the previous payout was sent, or the merchant has set an address. Other refunds are not
// woken. A refund that is missed is found at the next block.
func (a *Handler) wakeRefunds(ctx context.Context, walletID string) error {
	claims, err := a.Store.PayableClaims(ctx, db.PayableClaimsParams{WalletID: walletID, Now: a.Clock(), ReckonedSince: a.Clock().Add(-reckonedAnew), MaxRows: payableClaims})
	if err != nil || len(claims) == 0 {
		return err
	}
	var ids []string
	for _, c := range claims {
		ids = append(ids, c.RefundID)
	}
	return a.Store.WakeRefunds(ctx, ids)
}
