package witness

import (
	"cmp"
	"context"
	"slices"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// claimID returns the claim of a refund that a payout paid; nil for none.
func (r Reference) claimID() *string {
	if r.Refund == nil {
		return nil
	}
	return &r.Refund.ClaimID
}

// withRefund divides a payout's amount between the merchant and the buyer. why is the
// reason if it cannot.
func (s sweep) withRefund(paid RefundPaid) (parted sweep, why string) {
	refund, err := money.ParseXMR(paid.Amount)
	if err != nil || refund > s.amount {
		return s, "what it refunded cannot be told from the journal: look at it"
	}
	s.refund = refund
	s.amount -= refund
	return s, ""
}

// freeClaim fails another payout that pays the claim here, because a block has the
// transaction that paid it. It returns a question if the network has the transaction of
// that payout, or while no block has this one. It also returns one about an operator's
// answer if both may be mined: each further transaction of a claim spends coins of the
// earlier ones, so this one did not pay the claim.
func (r *Recoverer) freeClaim(ctx context.Context, q *db.Queries, t taken, ref Reference) error {
	live, err := q.LivePayoutOfClaim(ctx, ref.Refund.ClaimID)
	switch {
	case postgres.IsNotFound(err) || err == nil && live == ref.PayoutID:
		return nil
	case err != nil:
		return err
	case !t.mined:
		return question{"it paid claim " + ref.Refund.ClaimID + ", which payout " + live + " pays here: ask again once a block has one of both", true}
	}
	if _, answered := r.Paid[t.entry.TxHash]; answered {
		if both, err := r.bothMinable(ctx, q, t, live); err != nil || both {
			return cmp.Or(err, error(question{"it did not pay claim " + ref.Refund.ClaimID + ": payout " + live + " has another transaction for it, " +
				"which can still be mined, and this one spent none of its coins", false}))
		}
	}
	return r.replace(ctx, q, live, nil, false)
}

// bothMinable reports whether a payout has a transaction that can still be mined together with the
// one that is being taken over.
func (r *Recoverer) bothMinable(ctx context.Context, q *db.Queries, t taken, payoutID string) (bool, error) {
	built, err := q.OutgoingOfPayout(ctx, payoutID)
	if postgres.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at, err := r.where(ctx, built)
	free := at.State == chain.Unknown && at.Inputs == chain.InputsFree && TxState(built.State) != TxBuilding
	return free && !slices.ContainsFunc(built.Inputs, func(input string) bool { return slices.Contains(t.inputs, input) }), err
}

// clearOtherClaims abandons the payments of other claims of the same refund that this copy
// was about to make, if the sum exceeds the refund. It returns a question about a payout
// whose transaction the network has, or may have.
func (r *Recoverer) clearOtherClaims(ctx context.Context, q *db.Queries, ref Reference, s sweep) error {
	claims, err := q.OtherClaims(ctx, db.OtherClaimsParams{RefundID: ref.Refund.RefundID, ClaimID: ref.Refund.ClaimID})
	if err != nil {
		return err
	}
	for _, c := range claims {
		is, err := q.PaidOfRefund(ctx, db.PaidOfRefundParams{RefundID: ref.Refund.RefundID, ClaimID: ref.Refund.ClaimID})
		if err != nil {
			return err
		}
		if total, err := is.Paid.Add(s.refund); err == nil && total <= is.Amount {
			return nil
		}
		if err := r.replace(ctx, q, c.PayoutID, nil, false); err != nil {
			return err
		}
		if _, err := q.CancelClaim(ctx, db.CancelClaimParams{ID: c.ID, RefundID: ref.Refund.RefundID}); err != nil {
			return err
		}
	}
	return nil
}

// claimPaid records that the claim of a refund is paid, as another copy of the database
// knew. It inserts the claim and its refund again if they are not known here, so that
// the charge is not refunded twice. The buyer may have claimed again in the meantime,
// because this copy showed the refund as open. Claims that exceed the refund's amount
// are cancelled.
func (r *Recoverer) claimPaid(ctx context.Context, q *db.Queries, ref Reference, s sweep) error {
	paid, at := ref.Refund, r.at()
	if err := q.InsertRecoveredRefund(ctx, db.InsertRecoveredRefundParams{
		ID: paid.RefundID, MerchantID: ref.MerchantID, ChargeID: paid.ChargeID, Amount: s.refund, At: at,
	}); err != nil {
		return err
	}
	if _, err := q.LockRefund(ctx, paid.RefundID); err != nil {
		return err
	}
	if err := q.InsertRecoveredClaim(ctx, db.InsertRecoveredClaimParams{
		ID: paid.ClaimID, RefundID: paid.RefundID, Amount: s.refund, At: at,
	}); err != nil {
		return err
	}
	if err := q.CancelClaimsBeyond(ctx, paid.RefundID); err != nil {
		return err
	}
	if err := q.RaiseRecoveredRefund(ctx, paid.RefundID); err != nil {
		return err
	}
	p, err := q.GetPayout(ctx, ref.PayoutID)
	if err != nil {
		return err
	}
	return chargestore.RefundPayoutSent(ctx, q, p, nil, at) // it settles the refund, and notifies its merchant once
}
