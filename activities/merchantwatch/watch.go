package merchantwatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/scans"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/chain/xmrwallet"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/simulated"
	"github.com/durapay/durapay/internal/watch"
)

// WatchWallet scans the wallet in its rhythm until its shift ends. It stores a scan
// together with the resulting notifications, so none is lost. A second watcher at the
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
	if walletID == simulated.Wallet {
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
	notes := a.notifier(walletID)
	return func(ctx context.Context) (scans.Outcome, error) {
		found, err := w.Scan(ctx)
		err = scans.Report(ctx, a.Scanned, walletID, w.Store, found, err)
		// Pending notifications are delivered even if the wallet is away, and before anything
		// that takes time.
		left, undelivered := notes.Deliver(ctx)
		if errors.Is(err, watch.ErrSuperseded) {
			return scans.Outcome{}, undelivered // the payments that it found must still be stored
		}
		if err == nil && found.NewBlock() {
			err = errors.Join(a.notifyPayouts(ctx, walletID), a.notifyRefunds(ctx, walletID))
		}
		return scans.OutcomeOf(found, left), errors.Join(err, undelivered)
	}, nil
}

// notifyPayouts signals every payout that waits for confirmations to check again. If a
// signal is lost here, the next block's signal replaces it.
func (a *Handler) notifyPayouts(ctx context.Context, walletID string) error {
	open, err := a.Store.OpenPayouts(ctx, walletID)
	if err != nil {
		return err
	}
	merchants, ids := map[string]string{}, make([]string, len(open))
	for i, p := range open {
		merchants[p.ID], ids[i] = p.MerchantID, p.ID
	}
	signal := func(ctx context.Context, id string) error { return a.SignalPayout(ctx, id, merchants[id]) }
	scans.SendSignals(ctx, ids, signal, func(id string, err error) {
		if err != nil {
			a.Log.WarnContext(ctx, "a payout was not told of a block", "payout", id, "error", err)
		}
	})
	return nil
}

// payableClaims is how many claims get a signal for a block. reckonedAnew is the age at
// which the amount that a claim needs is calculated again.
const (
	payableClaims = 1000
	reckonedAnew  = time.Hour
)

// notifyRefunds signals refunds whose claims can be paid now: money has matured or was
// freed, the previous payout was sent, or the merchant has set an address. Other refunds
// get no signal. If a signal is lost here, the next block's signal replaces it.
func (a *Handler) notifyRefunds(ctx context.Context, walletID string) error {
	claims, err := a.Store.PayableClaims(ctx, db.PayableClaimsParams{WalletID: walletID, Now: a.Clock(), ReckonedSince: a.Clock().Add(-reckonedAnew), MaxRows: payableClaims})
	if err != nil {
		return err
	}
	merchants, ids := map[string]string{}, []string{}
	for _, c := range claims {
		if merchants[c.RefundID] == "" {
			ids = append(ids, c.RefundID)
		}
		merchants[c.RefundID] = c.MerchantID
	}
	signal := func(ctx context.Context, id string) error { return a.SignalRefund(ctx, id, merchants[id]) }
	scans.SendSignals(ctx, ids, signal, func(id string, err error) {
		if err != nil {
			a.Log.WarnContext(ctx, "a refund was not told of a block", "refund", id, "error", err)
		}
	})
	return nil
}

// notifier returns the notifier that delivers the charges' signals.
func (a *Handler) notifier(walletID string) *scans.Notifier {
	return &scans.Notifier{
		Pending: func(ctx context.Context, now time.Time) ([]scans.Notification, error) {
			return scans.Notifications(a.Store.PendingChargeSignals(ctx, db.PendingChargeSignalsParams{WalletID: walletID, Now: now, Limit: scans.Batch}))
		},
		Drop: func(ctx context.Context, n scans.Notification) error {
			return a.Store.DropChargeSignal(ctx, db.DropChargeSignalParams{ChargeID: n.ID, Version: n.Version})
		},
		Postpone: func(ctx context.Context, id string, until time.Time) error {
			return a.Store.PostponeChargeSignal(ctx, db.PostponeChargeSignalParams{ChargeID: id, NextAt: until})
		},
		Signal: a.SignalCharge, Open: a.Store.OpenAlert, Resolve: a.Store.ResolveAlert, Clock: a.Clock,
	}
}
