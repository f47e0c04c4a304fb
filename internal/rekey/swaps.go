package rekey

import (
	"context"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

func swaps(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.SwapsAfter(ctx, db.SwapsAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		address, a, err := again(box, r.AddressSealed, secret.SwapAddressPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		refund, b, err := again(box, r.RefundSealed, secret.SwapRefundPlace(r.ID))
		if err != nil {
			return 0, "", err
		}
		if a+b > 0 {
			if err := q.RekeySwap(ctx, db.RekeySwapParams{ID: r.ID, AddressSealed: address, RefundSealed: refund}); err != nil {
				return 0, "", err
			}
		}
		n, last = n+a+b, r.ID
	}
	return n, last, nil
}
