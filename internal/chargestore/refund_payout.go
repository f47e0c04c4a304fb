package chargestore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/webhook"
)

// lockRefundOf locks the refund of the claim that a payout pays and returns its id. ok is
// false for a payout that pays no claim.
func lockRefundOf(ctx context.Context, q *db.Queries, claimID *string) (refundID string, ok bool, err error) {
	if claimID == nil {
		return "", false, nil
	}
	claim, err := q.GetClaim(ctx, *claimID)
	if err != nil {
		return "", false, err
	}
	_, err = q.LockRefund(ctx, claim.RefundID)
	return claim.RefundID, true, err
}

// RefundPayoutSent records that the transaction of a payout was sent to the network. It marks
// the claim that the payout pays as sent and notifies the merchant, once for each payout.
// proof is sealed for the claim; nil where there is none.
func RefundPayoutSent(ctx context.Context, q *db.Queries, p db.Payout, proof []byte, at time.Time) error {
	id, ok, err := lockRefundOf(ctx, q, p.ClaimID)
	if err != nil || !ok {
		return err
	}
	if err := q.MarkClaimSent(ctx, db.MarkClaimSentParams{ID: *p.ClaimID, SentAt: at, ProofSealed: proof}); err != nil {
		return err
	}
	return settleAndRecord(ctx, q, id, p, webhook.EventRefundSent, at)
}

// RefundPayoutConfirmed records that the transaction is deep enough. It completes the claim and
// notifies the merchant, once for each payout, even if a reorganization dropped the
// transaction in between.
func RefundPayoutConfirmed(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	id, ok, err := lockRefundOf(ctx, q, p.ClaimID)
	if err != nil || !ok {
		return err
	}
	if n, err := q.MarkClaimCompleted(ctx, db.MarkClaimCompletedParams{ID: *p.ClaimID, ConfirmedAt: at}); err != nil || n == 0 {
		return err
	}
	return settleAndRecord(ctx, q, id, p, webhook.EventRefundConfirmed, at)
}

// RefundPayoutDropped records that a reorganization dropped a confirmed payout of a claim: the
// claim is in progress again.
func RefundPayoutDropped(ctx context.Context, q *db.Queries, claimID string, at time.Time) error {
	id, _, err := lockRefundOf(ctx, q, &claimID)
	if err != nil {
		return err
	}
	if err := q.UnconfirmClaim(ctx, claimID); err != nil {
		return err
	}
	_, err = SettleRefund(ctx, q, id, at)
	return err
}

// RefundPayoutFailed records that a payout failed after its transaction was abandoned. Its
// claim waits for another payout. The claim is cancelled instead if its refund is
// cancelled or if the database does not have the claim's address. It holds its amount
// while a transaction of it can still be mined.
func RefundPayoutFailed(ctx context.Context, q *db.Queries, p db.Payout, at time.Time) error {
	id, ok, err := lockRefundOf(ctx, q, p.ClaimID)
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
	l, err := LoadRefund(ctx, q, id)
	if err != nil {
		return err
	}
	if l.Row.CancelledAt != nil {
		if err := q.CancelClaims(ctx, id); err != nil {
			return err
		}
	}
	_, err = SettleRefund(ctx, q, id, at)
	return err
}

// pause returns how long a claim waits after its payout has failed: 10 minutes, and after
// a payout that was built twice as long each time, at most 320 minutes. Without a built
// transaction the wait does not grow, because the wallet was away and may be back at any
// time.
func pause(failures int32) time.Duration { return 10 * time.Minute << min(failures, 5) }

// settleAndRecord saves the state of a refund and records the event about the claim that a
// payout pays, unless it is recorded already. Another payout of the same claim has
// another transaction, so it gets an event of its own.
func settleAndRecord(ctx context.Context, q *db.Queries, refundID string, p db.Payout, name string, at time.Time) error {
	l, err := SettleRefund(ctx, q, refundID, at)
	if err != nil {
		return err
	}
	return l.RecordEvent(ctx, q, name, *p.ClaimID, p.ID, at)
}

// RecordEvent records an event of a refund: about one of its claims, or about the refund itself
// if claimID is empty. payoutID is the claim's payout that the event is about; empty for
// none. It records each event once.
func (l Refund) RecordEvent(ctx context.Context, q *db.Queries, name, claimID, payoutID string, at time.Time) error {
	recorded, err := q.HasEvent(ctx, db.HasEventParams{ResourceID: cmp.Or(claimID, l.Row.ID), Type: name, Part: payoutID})
	if err != nil || recorded {
		return err
	}
	view, err := l.View(at)
	if err != nil {
		return err
	}
	data := RefundData{ID: view.ID, RefundID: view.ID, Refund: view}
	if at := slices.IndexFunc(view.Claims, func(c refund.ClaimState) bool { return c.ID == claimID }); at >= 0 {
		data.Claim, data.ID = &view.Claims[at], claimID
	}
	return announce(ctx, q, Event{
		MerchantID: l.Row.MerchantID, Mode: config.Live, Type: name, ResourceID: data.ID, Part: payoutID, Data: data, At: at,
	})
}
