package charges

import (
	"context"

	"github.com/durapay/durapay/activities/unmatched"
	"github.com/durapay/durapay/internal/postgres/db"
)

// orphan turns the payments to a charge that is gone into unmatched payments: they were
// seen while the charge was being removed, or came back to the chain later. A second run
// finds none.
func (a *Handler) orphan(ctx context.Context, chargeID string) error {
	return a.Charges.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.OrphanPayments(ctx, chargeID)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := q.OpenAlert(ctx, unmatched.Alert(r.TxHash, r.SubaddressIndex, unmatched.NoCharge)); err != nil {
				return err
			}
		}
		return nil
	})
}
