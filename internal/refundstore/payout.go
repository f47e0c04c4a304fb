package refundstore

import (
	"cmp"
	"context"
	"time"

	"github.com/durapay/durapay/internal/event"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/webhook"
)

// of locks the refund of the claim that a payout pays and returns its id. ok is false for
// a payout that pays no claim.
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

// PayoutSent records that the transaction of a payout was sent to the network. It marks
// the claim that the payout pays as sent and notifies the merchant, once for each payout.
// proof is sealed for the claim; nil where there is none.
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

// PayoutConfirmed records that the transaction is deep enough. It completes the claim and
// notifies the merchant, once for each payout, even if a reorganization dropped the
// transaction in between.
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

// PayoutDropped records that a reorganization dropped a confirmed payout of a claim: the
// claim is in progress again.
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

// PayoutFailed records that a payout failed after its transaction was abandoned. Its
// claim waits for another payout. The claim is cancelled instead if its refund is
// cancelled or if the database does not have the claim's address. It holds its amount
// while a transaction of it can still be mined.
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

// pause returns how long a claim waits after its payout has failed: 10 minutes, and after
// a payout that was built twice as long each time, at most 320 minutes. Without a built
// transaction the wait does not grow, because the wallet was away and may be back at any
// time.
func pause(failures int32) time.Duration { return 10 * time.Minute << min(failures, 5) }

// settleAndTell saves the state of a refund and records the event about the claim that a
// payout pays, unless it is recorded already. Another payout of the same claim has
// another transaction, so it gets an event of its own.
func settleAndTell(ctx context.Context, q *db.Queries, refundID string, p db.Payout, name string, at time.Time) error {
	l, err := Settle(ctx, q, refundID, at)
	if err != nil {
		return err
	}
	return l.tell(ctx, q, event.Refund{Type: name, ClaimID: *p.ClaimID, PayoutID: p.ID, At: at})
}

// Tell records an event of a refund, about one of its claims, or about the refund itself
// if claimID is empty. It records each event once.
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
