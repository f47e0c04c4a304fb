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
// RefusedBroadcast when the daemon refuses it and shows its inputs unspent, and
// RefusedSwap when it would pay its swap too late.
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
			return Sent{}, a.noteSpent(ctx, p, err)
		}
	}
	return a.recordSent(ctx, p)
}

// errSpent says that the daemon does not know a transaction, and that another
// one has spent its inputs.
var errSpent = errors.New("its inputs are spent by another transaction")

// ensureRelayed returns once the daemon knows the transaction, in its pool or
// in a block.
func (a *Payouts) ensureRelayed(ctx context.Context, p db.Payout) (monero.TxStatus, error) {
	known, err := a.lookup(ctx, p)
	if err != nil || known.State != monero.Missed {
		return known, err
	}
	if err := a.checkInTime(ctx, p); err != nil {
		return known, err
	}
	if err := a.Daemon.Relay(ctx, fmt.Sprintf("%x", p.TxBlob)); err != nil {
		if errors.Is(err, monero.ErrRefused) {
			err = a.unlessSpent(ctx, p, refuse(RefusedBroadcast, "the network refused the transaction"))
		}
		return known, err
	}
	return a.lookup(ctx, p)
}

// unlessSpent is the refusal of a transaction whose inputs are all unspent.
func (a *Payouts) unlessSpent(ctx context.Context, p db.Payout, refusal error) error {
	spent, err := a.anySpent(ctx, p)
	switch {
	case err != nil:
		return err
	case spent:
		return fmt.Errorf("payout %s: %w", p.ID, errSpent)
	default:
		return refusal
	}
}

// noteSpent tells operators of a payout that cannot be sent, and of which it is
// not certain that it was not. Its error is the one that it got.
func (a *Payouts) noteSpent(ctx context.Context, p db.Payout, err error) error {
	if !errors.Is(err, errSpent) {
		return err
	}
	if failed := a.openStuck(ctx, p, errSpent.Error()); failed != nil {
		return failed
	}
	return err
}

// openStuck tells operators of a payout, unless it has ended meanwhile: nobody
// would close the notice.
func (a *Payouts) openStuck(ctx context.Context, p db.Payout, detail string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockPayout(ctx, p.ID)
		if status := payout.Status(locked.Status); err != nil || status == payout.Confirmed || status == payout.Failed {
			return err
		}
		return q.OpenAlert(ctx, db.OpenAlertParams{Kind: AlertPayoutStuck, Subject: p.ID, Detail: detail})
	})
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
		return Depth{}, resolveStuck(ctx, a.Store.Queries, p.ID)
	}
	info, err := a.Daemon.Info(ctx)
	if err != nil {
		return Depth{}, err
	}
	depth := Depth{Confirmations: int64(info.Height) - int64(tx.Height)}
	if depth.Confirmations < payout.Confirmations {
		return depth, resolveStuck(ctx, a.Store.Queries, p.ID)
	}
	depth.Confirmed = true
	height, at := int64(tx.Height), a.Clock().UTC().Truncate(time.Millisecond)
	if _, err := a.Store.MarkPayoutConfirmed(ctx, db.MarkPayoutConfirmedParams{ID: p.ID, Height: &height, ConfirmedAt: &at}); err != nil {
		return Depth{}, err
	}
	return depth, resolveStuck(ctx, a.Store.Queries, p.ID)
}

// stuck raises an alert for a sent transaction that the daemon does not take
// back; other errors are retried.
func (a *Payouts) stuck(ctx context.Context, p db.Payout, err error) (Depth, error) {
	switch {
	case refusedBy(err) == RefusedBroadcast:
		return Depth{Stuck: true}, a.openStuck(ctx, p, "a reorg dropped the transaction and the daemon refuses it now")
	case errors.Is(err, errSpent):
		return Depth{Stuck: true}, a.openStuck(ctx, p, errSpent.Error())
	default:
		return Depth{}, err
	}
}

func resolveStuck(ctx context.Context, q *db.Queries, payoutID string) error {
	return q.ResolveAlert(ctx, db.ResolveAlertParams{Kind: AlertPayoutStuck, Subject: payoutID})
}
