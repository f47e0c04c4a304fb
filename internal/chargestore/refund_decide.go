package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
)

// RefundDecision names a refund, or one of its claims, for a decision of its merchant.
type RefundDecision struct {
	RefundID string
	// ClaimID is empty for the whole refund.
	ClaimID string
	Now     time.Time
}

// ApproveClaims approves claims that wait for it, so that they are paid, and writes the wakeup
// of the refund's workflow. It reports whether there were any. A second run finds them
// approved. ApproveClaims returns refusals.Refund if no claim waits for approval, and none was
// approved.
func ApproveClaims(ctx context.Context, q *db.Queries, in RefundDecision) (approved bool, err error) {
	l, err := LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return false, err
	}
	done, err := q.ApproveClaims(ctx, db.ApproveClaimsParams{RefundID: in.RefundID, ID: in.ClaimID, Now: in.Now})
	if err != nil {
		return false, err
	}
	if len(done) == 0 && !anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.ApprovedAt != nil && c.Status != string(refund.Cancelled) }) {
		return false, refusals.New(refusals.Refund, "no claim waits for approval")
	}
	if len(done) == 0 {
		return false, nil
	}
	return true, settleAndWake(ctx, q, in)
}

// CancelRefund ends a refund, or cancels one claim so that its amount can be claimed again, and
// writes the wakeup of the refund's workflow. Claims that are being paid continue. A second
// run finds it cancelled. It returns refusals.Refund if the refund or claim cannot be
// cancelled any more.
func CancelRefund(ctx context.Context, q *db.Queries, in RefundDecision) error {
	l, err := LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return err
	}
	cancel := cancelRefund
	if in.ClaimID != "" {
		cancel = cancelClaim
	}
	if cancelled, err := cancel(ctx, q, l, in); err != nil || !cancelled {
		return err
	}
	return settleAndWake(ctx, q, in)
}

func settleAndWake(ctx context.Context, q *db.Queries, in RefundDecision) error {
	if _, err := SettleRefund(ctx, q, in.RefundID, in.Now); err != nil {
		return err
	}
	return q.WakeRefunds(ctx, []string{in.RefundID})
}

// cancelClaim reports whether it cancelled the claim. One that was cancelled before stays so.
func cancelClaim(ctx context.Context, q *db.Queries, l Refund, in RefundDecision) (bool, error) {
	n, err := q.CancelClaim(ctx, db.CancelClaimParams{ID: in.ClaimID, RefundID: in.RefundID})
	if err != nil || n > 0 {
		return n > 0, err
	}
	if anyClaim(l, in.ClaimID, func(c db.RefundClaim) bool { return c.Status == string(refund.Cancelled) }) {
		return false, nil
	}
	return false, refusals.New(refusals.Refund, "the claim is being paid, or there is none")
}

// cancelRefund reports whether it cancelled the refund. One that was cancelled before stays so.
func cancelRefund(ctx context.Context, q *db.Queries, l Refund, in RefundDecision) (bool, error) {
	status, err := l.Rules().StatusAt(in.Now)
	switch {
	case err != nil:
		return false, err
	case l.Row.CancelledAt != nil:
		return false, nil
	case status == refund.Completed:
		return false, refusals.New(refusals.Refund, "the refund is paid")
	case status == refund.Expired:
		return false, refusals.New(refusals.Refund, "the refund has expired")
	}
	if err := q.CancelClaims(ctx, in.RefundID); err != nil {
		return false, err
	}
	return true, q.CancelRefund(ctx, db.CancelRefundParams{ID: in.RefundID, Now: in.Now})
}

// anyClaim reports whether the named claim fulfils such; if none is named, whether any
// claim does.
func anyClaim(l Refund, claimID string, such func(db.RefundClaim) bool) bool {
	for _, c := range l.Claims {
		if (claimID == "" || c.RefundClaim.ID == claimID) && such(c.RefundClaim) {
			return true
		}
	}
	return false
}
