package activities

import (
	"context"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// orphan makes payments to a charge that is gone unmatched: one that was seen
// while the charge was being removed, or that came back to the chain later.
// Run twice, the second run finds none.
func (a *Charges) orphan(ctx context.Context, chargeID string) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.OrphanTransfers(ctx, chargeID)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := alertUnmatched(ctx, q, r.TxHash, r.SubaddressIndex); err != nil {
				return err
			}
		}
		return nil
	})
}

// alertUnmatched tells the operator of money that belongs to no charge.
func alertUnmatched(ctx context.Context, q *db.Queries, txHash string, index int32) error {
	return q.OpenAlert(ctx, db.OpenAlertParams{
		Kind: AlertUnmatched, Subject: alert.PaymentSubject(txHash, index),
		Detail: "money on a subaddress that belongs to no charge",
	})
}
