package witness

import (
	"context"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refundstore"
)

// claimID is the claim of a refund that a payout paid; nil for none.
func (r Reference) claimID() *string {
	if r.Refund == nil {
		return nil
	}
	return &r.Refund.ClaimID
}

// claimFree says why a claim cannot be paid by the transaction: another payout pays it
// here, and operators must look at both.
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

// claimPaid writes that the claim of a refund is paid, as another copy of the database
// knew it: the claim and its refund are written anew where they are not known here, so
// that the charge is not refunded again.
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
	if err := q.RaiseRecoveredRefund(ctx, paid.RefundID); err != nil {
		return err
	}
	_, err := refundstore.Settle(ctx, q, paid.RefundID, at)
	return err
}

// tellRefunded records the event of the claim that a payout paid, unless this database
// has it.
func (r *Recoverer) tellRefunded(ctx context.Context, q *db.Queries, payoutID string) error {
	p, err := q.GetPayout(ctx, payoutID)
	if err != nil {
		return err
	}
	return refundstore.PayoutSent(ctx, q, p, nil, r.at())
}
