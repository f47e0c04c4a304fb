package payouts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/activities/sending"
	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
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
	stop := tasks.Heartbeat(ctx)
	defer stop()
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
	detail, err := json.Marshal(map[string]any{"tx_hash": locked.TxHash, "gross_xmr": locked.Gross})
	if err != nil {
		return err
	}
	return q.RecordAudit(ctx, db.RecordAuditParams{
		At: in.Now, Actor: in.Actor, Action: "payout.release", Subject: in.PayoutID, Detail: string(detail),
	})
}
