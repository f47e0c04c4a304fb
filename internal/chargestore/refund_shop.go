package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/webhook"
)

// ShopPayment is a transaction with which a shop has paid a claim from its own wallet. The
// caller has checked it on the chain.
type ShopPayment struct {
	RefundID, ClaimID string
	TxHash            string
	// Outputs are those that pay the claim's address exactly its amount.
	Outputs []PaidOutput
	// Proof is sealed for the claim.
	Proof []byte
	Now   time.Time
}

// PaidOutput is an output of a transaction.
type PaidOutput struct {
	OneTimeKey []byte
	Index      int32
}

// UnpaidClaim returns a claim that the shop pays, and the refund. given reports whether the
// shop gave this transaction before, and a look at the chain has not missed it since.
// UnpaidClaim returns refusals.Missing if there is no such claim, and refusals.Refund if the
// claim cannot be paid with this transaction.
func UnpaidClaim(l Refund, claimID, txHash string) (claim db.RefundClaim, given bool, err error) {
	for _, c := range l.Claims {
		if claim = c.RefundClaim; claim.ID != claimID {
			continue
		}
		switch status := refund.Status(claim.Status); {
		case claim.OwnAddressSealed == nil:
			return claim, false, refusals.New(refusals.Refund, "a payout of this service pays the claim")
		case status == refund.Cancelled:
			return claim, false, refusals.New(refusals.Refund, "the claim was cancelled")
		case status == refund.AwaitingPayment:
			return claim, false, nil
		case c.ShopTxHash != nil && *c.ShopTxHash == txHash:
			return claim, true, nil
		default:
			return claim, false, refusals.New(refusals.Refund, "the claim is paid by another transaction that you gave")
		}
	}
	return db.RefundClaim{}, false, refusals.New(refusals.Missing, "claim not found")
}

// RecordShopPayment binds an output to a claim for ever, puts the claim in progress and
// notifies the merchant. A second run changes nothing. RecordShopPayment returns the refusals
// of UnpaidClaim, and refusals.Refund if every output proves another claim.
func RecordShopPayment(ctx context.Context, q *db.Queries, in ShopPayment) error {
	l, err := LockRefund(ctx, q, in.RefundID)
	if err != nil {
		return err
	}
	if _, given, err := UnpaidClaim(l, in.ClaimID, in.TxHash); err != nil || given {
		return err
	}
	if err := q.ReplaceShopPayment(ctx, db.ReplaceShopPaymentParams{ClaimID: in.ClaimID, TxHash: in.TxHash, Now: in.Now}); err != nil {
		return err
	}
	if err := bindOutput(ctx, q, in); err != nil {
		return err
	}
	if _, err := q.SendClaimOfShop(ctx, db.SendClaimOfShopParams{ID: in.ClaimID, Now: in.Now, ProofSealed: in.Proof}); err != nil {
		return err
	}
	if l, err = SettleRefund(ctx, q, in.RefundID, in.Now); err != nil {
		return err
	}
	return l.RecordEvent(ctx, q, webhook.EventRefundSent, in.ClaimID, in.TxHash, in.Now)
}

// bindOutput binds the first output that proves no other claim.
func bindOutput(ctx context.Context, q *db.Queries, in ShopPayment) error {
	for _, o := range in.Outputs {
		bound, err := q.BindShopPayment(ctx, db.BindShopPaymentParams{
			OneTimeKey: o.OneTimeKey, ClaimID: in.ClaimID, TxHash: in.TxHash, OutputIndex: o.Index, Now: in.Now,
		})
		if err != nil || bound > 0 {
			return err
		}
	}
	return refusals.New(refusals.Refund, "the transaction proves another claim already: each output pays one claim")
}

// FollowShopPayments moves the claims of a refund to where their payments were seen, by the
// transactions' hashes. It notifies the merchant of a claim that is paid, once for each
// transaction, and of each payment that is gone. A second run changes nothing.
func FollowShopPayments(ctx context.Context, q *db.Queries, refundID string, seen map[string]refund.Seen, now time.Time) error {
	if _, err := LockRefund(ctx, q, refundID); err != nil {
		return err
	}
	payments, err := q.UnsettledShopPayments(ctx, refundID)
	if err != nil {
		return err
	}
	for _, p := range payments {
		place, looked := seen[p.TxHash]
		if !looked { // it was given after the look
			continue
		}
		if err := followShopPayment(ctx, q, refundID, p, place, now); err != nil {
			return err
		}
	}
	return nil
}

func followShopPayment(ctx context.Context, q *db.Queries, refundID string, p db.UnsettledShopPaymentsRow, seen refund.Seen, now time.Time) error {
	next, status := refund.ShopPayment{Height: p.Height, VanishedAt: p.VanishedAt, Drops: p.Drops, EndedAt: p.EndedAt}.Follow(seen, now)
	if err := q.SaveShopPayment(ctx, db.SaveShopPaymentParams{
		OneTimeKey: p.OneTimeKey, Height: next.Height, VanishedAt: next.VanishedAt, Drops: next.Drops, EndedAt: next.EndedAt,
	}); err != nil {
		return err
	}
	cancelled := refund.Status(p.Status) == refund.Cancelled
	if status != refund.AwaitingPayment || !cancelled { // nothing undoes a cancellation but the payment
		if err := q.MoveClaimOfShop(ctx, db.MoveClaimOfShopParams{ID: p.ClaimID, Status: string(status), Now: now}); err != nil {
			return err
		}
	}
	l, err := SettleRefund(ctx, q, refundID, now)
	if err != nil {
		return err
	}
	if status == refund.Completed {
		return l.RecordEvent(ctx, q, webhook.EventRefundConfirmed, p.ClaimID, p.TxHash, now)
	}
	if next.Drops > p.Drops {
		return notice.PutBusiness(ctx, q, notice.BusinessNotice{
			MerchantID: l.Row.MerchantID, Kind: notice.RefundDropped, ResourceID: p.ClaimID, Part: next.Drops, At: now,
		})
	}
	return nil
}
