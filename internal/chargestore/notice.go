package chargestore

import (
	"context"
	"time"

	"github.com/durapay/durapay/internal/businessnotice"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/postgres/db"
)

// putNotice writes a notice for the merchant's mails about an event of a live charge, in
// the transaction of the event.
func putNotice(ctx context.Context, q *db.Queries, view charge.View, event string, at time.Time) error {
	kind, told := noticeOf(view, event)
	if !told || view.Sandbox {
		return nil
	}
	return businessnotice.Put(ctx, q, businessnotice.Notice{
		MerchantID: view.MerchantID, Kind: kind, ResourceID: view.ID, Amount: &view.AmountReceivedXMR, At: at,
	})
}

func noticeOf(view charge.View, event string) (businessnotice.Kind, bool) {
	switch event {
	case charge.EventConfirmed:
		return businessnotice.ChargePaid, true
	case charge.EventLateConfirmed:
		return businessnotice.Late, true
	case charge.EventExpired:
		return businessnotice.Underpaid, view.PaymentState == charge.Partial
	default:
		return "", false
	}
}
