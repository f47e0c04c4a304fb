package payouts

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/witness"
)

// FoundPayout is the state of a payout for a new run of its workflow.
type FoundPayout struct {
	// Status is empty if there is no such payout.
	Status   payout.Status
	Reserved Reserved
}

// FindPayout reads a payout. It changes nothing.
func (a *Handler) FindPayout(ctx context.Context, in PayoutTask) (FoundPayout, error) {
	p, err := a.Store.GetPayout(ctx, in.PayoutID)
	if postgres.IsNotFound(err) {
		return FoundPayout{}, nil
	}
	if err != nil {
		return FoundPayout{}, err
	}
	// The reservation exists, so ReservePayout only returns it.
	reserved, err := a.ReservePayout(ctx, ReservePayout{PayoutID: p.ID, MerchantID: p.MerchantID})
	return FoundPayout{payout.Status(p.Status), reserved}, err
}

// ReleasePayout names a payout that an operator gives up after it was sent.
type ReleasePayout struct {
	PayoutID string
	// Actor is the operator, for the audit.
	Actor string
	// Now is the workflow's clock.
	Now time.Time
}

// refusedFor is how long the network must have refused a transaction before it can be
// given up: the time of ten blocks, or of two checks if no block comes.
const refusedFor = 20 * time.Minute

// ReleasePayout frees the charges of a payout that will never be mined. There are two
// cases. A reorganization dropped it, and the network has refused its bytes for 20
// minutes, refuses them now, and shows every input unspent. Or another transaction has
// spent an input, 10 blocks deep. The payout, its charges, its transaction, the alert and
// the audit change together. A second run finds the payout failed. refusals.Release has
// the reason why the payout is not released.
func (a *Handler) ReleasePayout(ctx context.Context, in ReleasePayout) error {
	p, err := a.Store.GetPayout(ctx, in.PayoutID)
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Release, "there is no such payout")
	}
	switch {
	case err != nil:
		return err
	case payout.Status(p.Status) == payout.Failed:
		return nil
	case payout.Status(p.Status) == payout.Confirmed:
		return refusals.New(refusals.Release, "it is confirmed")
	case p.BuiltAt == nil:
		return refusals.New(refusals.Release, "it was never sent: it is retried, or fails by itself")
	}
	tx, err := a.Store.OutgoingOfPayout(ctx, p.ID)
	if err != nil {
		return err
	}
	if err := a.checkAbandonable(ctx, p, tx, in.Now); err != nil {
		return err
	}
	err = a.Store.Tx(ctx, func(q *db.Queries) error { return a.release(ctx, q, in) })
	if errors.Is(err, witness.ErrKnown) {
		err = refusals.New(refusals.Release, witness.ErrKnown.Error())
	}
	return err
}

// checkAbandonable refuses to release a payout whose transaction may still be mined.
func (a *Handler) checkAbandonable(ctx context.Context, p db.Payout, tx db.OutgoingTransaction, now time.Time) error {
	out := a.outgoing()
	found, err := out.Find(ctx, tx)
	switch {
	case err != nil:
		return err
	case sending.SpentElsewhere(found):
		why, err := out.StillSpendable(ctx, tx)
		if err == nil && why != "" {
			err = refusals.New(refusals.Release, why)
		}
		return err
	case payout.Status(p.Status) == payout.Building:
		return refusals.New(refusals.Release, "it was never sent: it is retried, or fails by itself")
	}
	if err := a.checkRefusedLong(ctx, p, now); err != nil {
		return err
	}
	return a.checkRefusedNow(ctx, p, tx)
}

// checkRefusedLong refuses unless the alert about the payout is old enough. The alert
// opens with the first refusal and closes as soon as the daemon has the transaction
// again.
func (a *Handler) checkRefusedLong(ctx context.Context, p db.Payout, now time.Time) error {
	notice, err := a.Store.OpenAlertAbout(ctx, db.OpenAlertAboutParams{Kind: alert.PayoutStuck, Subject: p.ID})
	if postgres.IsNotFound(err) {
		return refusals.New(refusals.Release, "the network has not refused it")
	}
	if err != nil {
		return err
	}
	if until := notice.OpenedAt.Add(refusedFor); now.Before(until) {
		return refusals.New(refusals.Release, fmt.Sprintf("the network refuses it since %s: it can be released from %s on",
			notice.OpenedAt.UTC().Format(time.RFC3339), until.UTC().Format(time.RFC3339)))
	}
	return nil
}

// checkRefusedNow hands the bytes to the daemon once more. If the daemon takes them, that
// is the better end.
func (a *Handler) checkRefusedNow(ctx context.Context, p db.Payout, tx db.OutgoingTransaction) error {
	found, err := a.outgoing().EnsureRelayed(ctx, tx, nil)
	switch {
	case err == nil:
		return errors.Join(resolveStuck(ctx, a.Store.Queries, p.ID), refusals.New(refusals.Release, "the network has the transaction now"))
	case !errors.Is(err, chain.ErrRefused):
		return err
	case found.Inputs != chain.InputsFree:
		return refusals.New(refusals.Release, "one of its inputs is spent, by this transaction or another")
	default:
		return nil
	}
}

func (a *Handler) release(ctx context.Context, q *db.Queries, in ReleasePayout) error {
	locked, err := q.LockPayout(ctx, in.PayoutID)
	if err != nil {
		return err
	}
	failed, err := a.giveUp(ctx, q, locked, "released by the operator", in.Actor)
	if err != nil || failed == 0 {
		return err
	}
	return sending.Audit(ctx, q, db.RecordAuditParams{At: in.Now, Actor: in.Actor, Action: "payout.release", Subject: in.PayoutID},
		map[string]any{"tx_hash": locked.TxHash, "gross_xmr": locked.Gross})
}

// FailPayout names a payout that could not be built or sent.
type FailPayout struct {
	PayoutID string
	// Reason is shown to the merchant.
	Reason string
}

// FailOutcome is the outcome of failing a payout.
type FailOutcome struct {
	// AlreadyBroadcast is set when the payout was recorded as sent, or the daemon
	// knows the transaction after all.
	AlreadyBroadcast bool
}

// FailPayout releases the charges of a payout, but only if nothing was built, or if the
// daemon shows every key image of the transaction unspent in pool and chain. Its swap, if
// it has one, fails with it. A payout that was sent is left alone, wherever its
// transaction is now: its merchant was notified, and only an operator may give it up, see
// ReleasePayout. A second run finds the payout failed.
func (a *Handler) FailPayout(ctx context.Context, in FailPayout) (FailOutcome, error) {
	p, err := a.find(ctx, in.PayoutID)
	if err != nil {
		return FailOutcome{}, err
	}
	if wasSent(p) {
		return FailOutcome{AlreadyBroadcast: true}, nil
	}
	if p.BuiltAt != nil && payout.Status(p.Status) != payout.Failed {
		sent, err := a.maybeSent(ctx, p)
		if err != nil || sent {
			return FailOutcome{AlreadyBroadcast: sent}, err
		}
	}
	var failed int64
	err = a.Store.Tx(ctx, func(q *db.Queries) error {
		locked, err := q.LockPayout(ctx, in.PayoutID)
		if err != nil {
			return err
		}
		if wasSent(locked) {
			return witness.ErrKnown
		}
		if (locked.BuiltAt == nil) != (p.BuiltAt == nil) {
			return errors.New("the payout was built meanwhile")
		}
		failed, err = a.giveUp(ctx, q, locked, in.Reason, sending.Self)
		return err
	})
	if errors.Is(err, witness.ErrKnown) { // another run relayed it meanwhile
		return FailOutcome{AlreadyBroadcast: true}, nil
	}
	if err == nil && failed > 0 {
		a.Finished(payout.Failed)
	}
	return FailOutcome{}, err
}

// wasSent reports whether the payout was recorded as sent, and not given up since.
func wasSent(p db.Payout) bool {
	status := payout.Status(p.Status)
	return status == payout.Broadcast || status == payout.Confirmed
}

// maybeSent reports whether the daemon knows the transaction of a payout, or does not
// show all of its inputs unspent.
func (a *Handler) maybeSent(ctx context.Context, p db.Payout) (bool, error) {
	tx, err := a.Store.OutgoingOfPayout(ctx, p.ID)
	if err != nil {
		return false, err
	}
	found, err := a.outgoing().Find(ctx, tx)
	return found.State != chain.Unknown || found.Inputs != chain.InputsFree, err
}

// giveUp abandons the bytes of a payout on behalf of the actor, and fails it, see
// chargestore.FailPayout. The payout is locked. It returns 0 if the payout has ended
// already.
func (a *Handler) giveUp(ctx context.Context, q *db.Queries, p db.Payout, reason, actor string) (int64, error) {
	if status := payout.Status(p.Status); status == payout.Failed || status == payout.Confirmed {
		return 0, nil
	}
	if p.BuiltAt != nil {
		tx, err := q.OutgoingOfPayout(ctx, p.ID)
		if err != nil {
			return 0, err
		}
		if _, err := a.outgoing().Abandon(ctx, q, tx, actor); err != nil {
			return 0, err
		}
	}
	return chargestore.FailPayout(ctx, q, p, reason, *a.outgoing().Now())
}
