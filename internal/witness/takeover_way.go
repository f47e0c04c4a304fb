package witness

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// question is the reason why a transaction cannot be taken over now.
type question struct {
	why string
	// waits reports whether the chain answers it, and no operator can.
	waits bool
}

func (q question) Error() string { return q.why }

// outcome is Waiting if only the chain can answer, else Undecided.
func (q question) outcome() string {
	if q.waits {
		return Waiting
	}
	return Undecided
}

// makeWay frees the payments that a transaction spent and that payouts other than keep
// have reserved here. Once a block has the transaction, these payouts cannot spend them
// any more, whatever an operator says. Before that it returns a question, because the
// chain may still decide for the payouts. An empty keep means that no payout takes their place.
func (r *Recoverer) makeWay(ctx context.Context, q *db.Queries, keep string, spent []db.PaymentsAtRow, mined bool) error {
	reserved := map[string][]int64{}
	for _, row := range spent {
		if row.PayoutID != nil && *row.PayoutID != keep {
			reserved[*row.PayoutID] = append(reserved[*row.PayoutID], row.ID)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(reserved)) {
		if !mined {
			return question{"payout " + id + " has reserved what it spent, and no block has it: ask again once a block has it, or once it is gone", true}
		}
		if err := r.replace(ctx, q, id, reserved[id], keep == ""); err != nil {
			return err
		}
	}
	return nil
}

// replace fails a payout in whose place another transaction has paid or has spent these
// payments of it. A payout that only leaves the payments to the operator, as a fee,
// continues with a smaller fee. If leaveSent is set, a payout that was sent stays too.
func (r *Recoverer) replace(ctx context.Context, q *db.Queries, payoutID string, spent []int64, leaveSent bool) error {
	p, err := q.GetPayout(ctx, payoutID)
	if err != nil {
		return err
	}
	if _, err = q.LockMerchant(ctx, p.MerchantID); err != nil {
		return err
	}
	if p, err = q.LockPayout(ctx, payoutID); err != nil {
		return err
	}
	built, err := q.OutgoingOfPayout(ctx, payoutID)
	if err != nil && !postgres.IsNotFound(err) {
		return err
	}
	isFee := func(id int64) bool { return slices.Contains(built.UnspentPayments, id) }
	if len(spent) > 0 && !slices.ContainsFunc(spent, func(id int64) bool { return !isFee(id) }) {
		return errors.Join(q.UnreserveSomePayments(ctx, db.UnreserveSomePaymentsParams{Ids: spent, PayoutID: payoutID}),
			q.CedeFee(ctx, db.CedeFeeParams{PayoutID: payoutID, Ids: spent}))
	}
	if leaveSent && TxState(built.State) == TxSent {
		return nil
	}
	if err := r.forget(ctx, q, payoutID); err != nil {
		return err
	}
	_, err = chargestore.FailPayout(ctx, q, p, "another transaction has paid in its place, as the chain shows", r.at())
	return err
}

// forget abandons the transaction of a payout, if it has one. It returns a question if the
// network has the transaction, or may still decide for it.
func (r *Recoverer) forget(ctx context.Context, q *db.Queries, payoutID string) error {
	built, err := q.OutgoingOfPayout(ctx, payoutID)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	at, err := r.where(ctx, built)
	switch {
	case err != nil:
		return err
	case at.State == chain.Mined:
		return question{"payout " + payoutID + " is paid by another transaction, which is in a block: look at both", false}
	case at.State == chain.InPool:
		return question{"payout " + payoutID + " is paid by another transaction, which waits in the pool: ask again once it is mined or gone", true}
	case !Abandonable(at):
		return question{"payout " + payoutID + " has another transaction, of which one in the pool spends the coins: ask again once that is mined or gone", true}
	}
	return r.abandon(ctx, q, built)
}

// makeWayForAccepted is makeWay for a transaction that an operator accepts. A transaction
// that is nowhere takes nothing from a payout. A payout that was sent stays until an operator
// releases it, because nothing has paid in its place and a reorganization may bring it back.
func (r *Recoverer) makeWayForAccepted(ctx context.Context, q *db.Queries, walletID, txHash string) error {
	built, found, err := r.locate(ctx, walletID, txHash)
	if errors.Is(err, ErrMissing) || err == nil && found.State == chain.Unknown {
		return nil
	}
	if err != nil {
		return err
	}
	spent, _, err := r.spentBy(ctx, q, walletID, built.Inputs)
	if err != nil {
		return err
	}
	return r.makeWay(ctx, q, "", spent, found.State == chain.Mined)
}
