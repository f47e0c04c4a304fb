package service

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
)

// ListLinked is List with links.
func (l RefundLinks) ListLinked(ctx context.Context, merchantID string, limit int32) ([]refund.Refunded, error) {
	var rows []db.Refund
	list, err := l.views(ctx, func(q *db.Queries) (_ []db.Refund, err error) {
		rows, err = q.ListRefunds(ctx, db.ListRefundsParams{MerchantID: merchantID, Limit: limit})
		return rows, err
	})
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if list[i].Link, err = l.linkTo(row); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// OfClaim returns the refund that a claim belongs to, as Get does. It returns httpapi.NotFound if
// the merchant has no such claim.
func (l RefundLinks) OfClaim(ctx context.Context, merchantID, claimID string) (refund.Refunded, error) {
	if !httpapi.PlainID(claimID, "rc_") {
		return refund.Refunded{}, httpapi.NotFound("claim")
	}
	claim, err := l.Store.GetClaim(ctx, claimID)
	if err != nil {
		return refund.Refunded{}, httpapi.Missing(err, httpapi.NotFound("claim"))
	}
	return l.Get(ctx, merchantID, claim.RefundID)
}

// Opened returns a refund, as Get does, to a caller who knows the secret of its link. Its claims
// are as such a caller sees them, see refund.ClaimState.ForBuyer. A wrong secret gets the same
// answer as a refund that does not exist.
func (l RefundLinks) Opened(ctx context.Context, id, token string) (refund.Refunded, error) {
	found, err := l.opened(ctx, id, token)
	if err != nil {
		return refund.Refunded{}, err
	}
	r, err := l.Get(ctx, found.Row.MerchantID, id)
	for i, c := range r.Claims {
		r.Claims[i] = c.ForBuyer()
	}
	return r, err
}
