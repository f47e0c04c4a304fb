package chargestore

import (
	"context"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Reasons why money is unmatched.
const (
	NoCharge     = "money on a subaddress that belongs to no charge"
	BeforeCharge = "the payment was in the chain before the charge of its subaddress was made: it is somebody else's"
)

// UnmatchedAlert returns the alert about money that belongs to no charge.
func UnmatchedAlert(txHash string, index int32, why string) db.OpenAlertParams {
	return db.OpenAlertParams{Kind: alert.PaymentUnmatched, Subject: alert.PaymentSubject(txHash, index), Detail: why}
}

// orphan turns the payments to a charge that is gone into unmatched payments: they were
// seen while the charge was being removed, or came back to the chain later. A second run
// finds none.
func (s *Charges) orphan(ctx context.Context, chargeID string) error {
	return s.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.OrphanPayments(ctx, chargeID)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := q.OpenAlert(ctx, UnmatchedAlert(r.TxHash, r.SubaddressIndex, NoCharge)); err != nil {
				return err
			}
		}
		return nil
	})
}
