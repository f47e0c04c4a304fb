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
