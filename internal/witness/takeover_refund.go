package witness

import (
	"context"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
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

// claimFree returns why the transaction cannot pay a claim: another payout pays it here,
// and operators must examine both.
func claimFree(ctx context.Context, q *db.Queries, ref Reference) (why string, err error) {
	live, err := q.LivePayoutOfClaim(ctx, ref.Refund.ClaimID)
	if postgres.IsNotFound(err) {
		return "", nil
	}
	if err == nil && live != ref.PayoutID {
		why = "it paid claim " + ref.Refund.ClaimID + ", which payout " + live + " pays here: look at both"
	}
	return why, err
}

// clearOtherClaims abandons the payments of other claims of the same refund that this copy
// was about to make, if the sum exceeds the refund. why names a payout whose transaction
// the network may have, which operators must examine.
func (r *Recoverer) clearOtherClaims(ctx context.Context, q *db.Queries, ref Reference, s sweep) (why string, err error) {
	claims, err := q.OtherClaims(ctx, db.OtherClaimsParams{RefundID: ref.Refund.RefundID, ClaimID: ref.Refund.ClaimID})
	if err != nil {
		return "", err
	}
	for _, c := range claims {
		is, err := q.PaidOfRefund(ctx, db.PaidOfRefundParams{RefundID: ref.Refund.RefundID, ClaimID: ref.Refund.ClaimID})
		if err != nil {
			return "", err
		}
		if total, err := is.Paid.Add(s.refund); err == nil && total <= is.Amount {
			return "", nil
		}
		p, err := q.LockPayout(ctx, c.PayoutID)
		if err != nil {
			return "", err
		}
		if payout.Status(p.Status) != payout.Building {
			return "payout " + p.ID + " pays the same refund by another claim: look at both", nil
		}
		if p.BuiltAt != nil {
			if why, err = r.forget(ctx, q, p); err != nil || why != "" {
				return why, err
			}
		}
		if _, err := q.MarkPayoutFailed(ctx, db.MarkPayoutFailedParams{ID: p.ID, Error: new("the refund was paid already, as another copy of the database knew")}); err != nil {
			return "", err
		}
		for _, step := range []func(context.Context, string) error{q.UnmarkCharges, q.UnreservePayments} {
			if err := step(ctx, p.ID); err != nil {
				return "", err
			}
		}
		if err := q.CancelReserved(ctx, c.ID); err != nil {
			return "", err
		}
	}
	return "", nil
}

// forget abandons the transaction of a payout that this copy never sent. why is the
// reason if the network knows it.
func (r *Recoverer) forget(ctx context.Context, q *db.Queries, p db.Payout) (why string, err error) {
	built, err := q.OutgoingOfPayout(ctx, p.ID)
	if err != nil {
		return "", err
	}
	at, err := r.where(ctx, built)
	switch {
	case err != nil:
		return "", err
	case at.State != chain.Unknown:
		return "payout " + p.ID + " pays the same refund by another claim, and its transaction is in a block or in the pool: look at both", nil
	case !Abandonable(at):
		return "payout " + p.ID + " pays the same refund by another claim, and one in the pool spends its coins: ask again once that is mined or gone", nil
	}
	return "", r.abandon(ctx, q, built)
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
