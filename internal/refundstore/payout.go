package refundstore

import (
	"cmp"
	"context"
	"time"

	"github.com/durapay/durapay/internal/event"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
)

// of is the refund of the claim that a payout pays, held; ok is false for a payout
// that pays none.
func of(ctx context.Context, q *db.Queries, p db.Payout) (refundID string, ok bool, err error) {
	if p.ClaimID == nil {
		return "", false, nil
	}
	claim, err := q.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return "", false, err
	}
	_, err = q.LockRefund(ctx, claim.RefundID)
	return claim.RefundID, true, err
}

// PayoutSent notes that the transaction of a payout was handed to the network: the
// claim that it pays is sent, and its merchant is told, once for each payout. proof is
// sealed for the claim; nil where there is none.
func PayoutSent(ctx context.Context, q *db.Queries, p db.Payout, proof []byte, at time.Time) error {
	id, ok, err := of(ctx, q, p)
	if err != nil || !ok {
		return err
	}
	if err := q.MarkClaimSent(ctx, db.MarkClaimSentParams{ID: *p.ClaimID, SentAt: at, ProofSealed: proof}); err != nil {
		return err
	}
	return settleAndTell(ctx, q, id, p, webhook.EventRefundSent, at)
}

// PayoutConfirmed notes that the transaction lies deep enough: its claim is
// completed, and its merchant is told, once for each payout, also where a reorganization
// had taken the transaction back meanwhile.
func PayoutConfirmed(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	id, ok, err := of(ctx, q, p)
	if err != nil || !ok {
		return err
	}
	if n, err := q.MarkClaimCompleted(ctx, db.MarkClaimCompletedParams{ID: *p.ClaimID, ConfirmedAt: at}); err != nil || n == 0 {
		return err
	}
	return settleAndTell(ctx, q, id, p, webhook.EventRefundConfirmed, at)
}

// PayoutDropped notes that a reorganization took a confirmed payout of a claim back:
// the claim is in progress again.
func PayoutDropped(ctx context.Context, q *db.Queries, claimID string, at time.Time) error {
	claim, err := q.GetClaim(ctx, claimID)
	if err != nil {
		return err
	}
	if _, err := q.LockRefund(ctx, claim.RefundID); err != nil {
		return err
	}
	if err := q.UnconfirmClaim(ctx, claimID); err != nil {
		return err
	}
	_, err = Settle(ctx, q, claim.RefundID, at)
	return err
}

// PayoutFailed notes that a payout was given up, after its transaction was:
// its claim waits for another payout, or goes with its refund where that was cancelled,
// or where nobody knows its address. It holds its amount as long as a transaction of it
// can be mined.
func PayoutFailed(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	id, ok, err := of(ctx, q, p)
	if err != nil || !ok {
		return err
	}
	claim, err := q.GetClaim(ctx, *p.ClaimID)
	if err != nil {
		return err
	}
	wasBuilt, wait := p.BuiltAt != nil, pause(0)
	if wasBuilt {
		wait = pause(claim.Failures)
	}
	if err := q.RetryClaim(ctx, db.RetryClaimParams{ID: claim.ID, NextAt: at.Add(wait), WasBuilt: wasBuilt}); err != nil {
		return err
	}
	l, err := Load(ctx, q, id)
	if err != nil {
		return err
	}
	if l.Row.CancelledAt != nil {
		if err := q.CancelClaims(ctx, id); err != nil {
			return err
		}
	}
	_, err = Settle(ctx, q, id, at)
	return err
}

// pause is how long a claim waits after its payout has failed: 10 minutes, and after one
// that was built twice as long each time, no more than about 5 hours. A wallet that was
// away may be back at any time, and nothing was built meanwhile.
func pause(failures int32) time.Duration { return 10 * time.Minute << min(failures, 5) }

// settleAndTell writes where a refund stands, and the event about the claim that a payout
// pays, unless it was told before. Another payout of the claim has another transaction,
// which is news.
func settleAndTell(ctx context.Context, q *db.Queries, refundID string, p db.Payout, name string, at time.Time) error {
	l, err := Settle(ctx, q, refundID, at)
	if err != nil {
		return err
	}
	return l.tell(ctx, q, event.Refund{Type: name, ClaimID: *p.ClaimID, PayoutID: p.ID, At: at})
}

// Tell records an event of a refund, about one claim of it, or about itself where
// claimID is empty; once for each.
func (l Loaded) Tell(ctx context.Context, q *db.Queries, name, claimID string, at time.Time) error {
	return l.tell(ctx, q, event.Refund{Type: name, ClaimID: claimID, At: at})
}

func (l Loaded) tell(ctx context.Context, q *db.Queries, e event.Refund) (err error) {
	told, err := q.HasEvent(ctx, db.HasEventParams{ResourceID: cmp.Or(e.ClaimID, l.Row.ID), Type: e.Type, Part: e.PayoutID})
	if err != nil || told {
		return err
	}
	e.MerchantID = l.Row.MerchantID
	if e.View, err = l.View(e.At); err != nil {
		return err
	}
	return event.RecordRefund(ctx, q, e)
}
