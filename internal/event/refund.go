package event

import (
	"context"
	"slices"
	"time"

	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
)

// Refund is what happened to a refund, or to one claim of it.
type Refund struct {
	MerchantID, Type string
	View             refund.Refunded
	// ClaimID is empty for what concerns the whole refund.
	ClaimID string
	// PayoutID is the payout that the event is about; empty for none.
	PayoutID string
	At       time.Time
}

// RefundData is the data of the events of refunds.
type RefundData struct {
	ID       string `json:"id" doc:"The claim, or refund_id for refund.created" example:"rc_0123456789abcdef01234567"`
	RefundID string `json:"refund_id" example:"rf_0123456789abcdef01234567"`
	// Refund is as it stood then.
	Refund refund.Refunded `json:"refund"`
	// Claim is the claim that the event is about; nil for refund.created.
	Claim *refund.ClaimState `json:"claim"`
}

// RecordRefund records an event of a refund. It fails when the claim, or the refund
// where no claim is named, has an event of this type about the same payout.
func RecordRefund(ctx context.Context, q *db.Queries, r Refund) error {
	data := RefundData{ID: r.View.ID, RefundID: r.View.ID, Refund: r.View}
	if at := slices.IndexFunc(r.View.Claims, func(c refund.ClaimState) bool { return c.ID == r.ClaimID }); at >= 0 {
		data.Claim, data.ID = &r.View.Claims[at], r.ClaimID
	}
	_, err := Record(ctx, q, Event{
		MerchantID: r.MerchantID, Mode: config.Live, Type: r.Type, ResourceID: data.ID, Part: r.PayoutID, Data: data, At: r.At,
	})
	return err
}
