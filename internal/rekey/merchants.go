package rekey

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func webhooks(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.WebhooksAfter(ctx, db.WebhooksAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.WebhooksAfterRow) row {
		return row{r.ID, []value{{r.SecretSealed, secret.WebhookPlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyWebhook(ctx, db.RekeyWebhookParams{ID: r.ID, SecretSealed: fresh[0]})
		}}
	})
}

func payouts(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.PayoutsAfter(ctx, db.PayoutsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.PayoutsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.SweepAddressPlace(r.ID)},
			{r.SwapAddressSealed, secret.SweepSwapPlace(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyPayout(ctx, db.RekeyPayoutParams{ID: r.ID, AddressSealed: fresh[0], SwapAddressSealed: fresh[1]})
		}}
	})
}

func refunds(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.RefundsAfter(ctx, db.RefundsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.RefundsAfterRow) row {
		return row{r.ID, []value{{r.TokenSealed, secret.RefundTokenPlace(r.ID)}}, func(fresh [][]byte) error {
			return q.RekeyRefund(ctx, db.RekeyRefundParams{ID: r.ID, TokenSealed: fresh[0]})
		}}
	})
}

func refundClaims(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.ClaimsAfter(ctx, db.ClaimsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.ClaimsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.ClaimAddressPlace(r.ID)},
			{r.ProofSealed, secret.ClaimProofPlace(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeyClaim(ctx, db.RekeyClaimParams{ID: r.ID, AddressSealed: fresh[0], ProofSealed: fresh[1]})
		}}
	})
}

func swaps(ctx context.Context, q *db.Queries, after string) ([]row, error) {
	found, err := q.SwapsAfter(ctx, db.SwapsAfterParams{ID: after, Limit: batch})
	return rowsOf(found, err, func(r db.SwapsAfterRow) row {
		return row{r.ID, []value{
			{r.AddressSealed, secret.SwapAddressPlace(r.ID)},
			{r.RefundSealed, secret.SwapRefundPlace(r.ID)},
		}, func(fresh [][]byte) error {
			return q.RekeySwap(ctx, db.RekeySwapParams{ID: r.ID, AddressSealed: fresh[0], RefundSealed: fresh[1]})
		}}
	})
}
