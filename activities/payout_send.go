package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
)

// PayoutTask names a payout.
type PayoutTask struct {
	PayoutID string
}

// Sent says that the daemon has the transaction.
type Sent struct {
	// Deliveries have not been attempted yet.
	Deliveries []string
}

// RelayPayout hands the stored transaction to the daemon and records that it
// was sent. It asks the daemon first, so that a transaction that is known,
// because an earlier run died before it could say so, is only recorded.
// RefusedBroadcast when the daemon refuses it and shows its inputs unspent.
func (a *Payouts) RelayPayout(ctx context.Context, in PayoutTask) (Sent, error) {
	stop := beat(ctx)
	defer stop()
	p, err := a.Store.GetPayout(ctx, in.PayoutID)
	if err != nil {
		return Sent{}, err
	}
	if p.BuiltAt == nil {
		return Sent{}, errors.New("the payout is not built")
	}
	if payout.Status(p.Status) == payout.Building {
		if _, err := a.ensureRelayed(ctx, p); err != nil {
			return Sent{}, err
		}
	}
	return a.recordSent(ctx, p)
}

// ensureRelayed returns once the daemon knows the transaction, in its pool or
// in a block.
func (a *Payouts) ensureRelayed(ctx context.Context, p db.Payout) (monero.TxStatus, error) {
	known, err := a.lookup(ctx, p)
	if err != nil || known.State != monero.Missed {
		return known, err
	}
	if err := a.Daemon.Relay(ctx, fmt.Sprintf("%x", p.TxBlob)); err != nil {
		if !errors.Is(err, monero.ErrRefused) {
			return known, err
		}
		spent, checkErr := a.anySpent(ctx, p)
		if checkErr != nil {
			return known, checkErr
		}
		if !spent {
			return known, refuse(RefusedBroadcast, "the network refused the transaction")
		}
		return known, fmt.Errorf("payout %s: refused, but its inputs are spent: %w", p.ID, err)
	}
	return a.lookup(ctx, p)
}

func (a *Payouts) lookup(ctx context.Context, p db.Payout) (monero.TxStatus, error) {
	found, err := a.Daemon.Transactions(ctx, []string{*p.TxHash})
	if err != nil {
		return monero.TxStatus{}, err
	}
	if len(found) != 1 {
		return monero.TxStatus{}, fmt.Errorf("daemon answered for %d transactions instead of one", len(found))
	}
	return found[0], nil
}

// Depth is how deep a payout lies.
type Depth struct {
	Confirmations int64
	Confirmed     bool
	// Stuck is set when a reorg made the transaction impossible to send again.
	Stuck bool
}

// CheckPayout looks where a sent transaction is, relays it again when a reorg
// dropped it, and records the confirmation once it is deep enough. Run twice,
// it looks twice.
func (a *Payouts) CheckPayout(ctx context.Context, in PayoutTask) (Depth, error) {
	p, err := a.Store.GetPayout(ctx, in.PayoutID)
	if err != nil {
		return Depth{}, err
	}
	tx, err := a.ensureRelayed(ctx, p)
	if err != nil {
		return a.stuck(ctx, p, err)
	}
	if tx.State != monero.Mined {
		return Depth{}, a.resolveStuck(ctx, p)
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return Depth{}, err
	}
	depth := Depth{Confirmations: int64(info.Height) - int64(tx.Height)}
	if depth.Confirmations < payout.Confirmations {
		return depth, a.resolveStuck(ctx, p)
	}
	depth.Confirmed = true
	height, at := int64(tx.Height), a.Clock().UTC().Truncate(time.Millisecond)
	if _, err := a.Store.MarkPayoutConfirmed(ctx, db.MarkPayoutConfirmedParams{ID: p.ID, Height: &height, ConfirmedAt: &at}); err != nil {
		return Depth{}, err
	}
	return depth, a.resolveStuck(ctx, p)
}

// stuck raises an alert for a sent transaction that the daemon does not take
// back; other errors are retried.
func (a *Payouts) stuck(ctx context.Context, p db.Payout, err error) (Depth, error) {
	if refusedBy(err) != RefusedBroadcast {
		return Depth{}, err
	}
	return Depth{Stuck: true}, a.Store.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertPayoutStuck, Subject: p.ID, Detail: "a reorg dropped the transaction and the daemon refuses it now",
	})
}

func (a *Payouts) resolveStuck(ctx context.Context, p db.Payout) error {
	return a.Store.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertPayoutStuck, Subject: p.ID})
}
