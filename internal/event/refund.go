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
	View             refund.View
	// ClaimID is empty for what concerns the whole refund.
	ClaimID string
	At      time.Time
}

// refundData is the data of the events of refunds.
type refundData struct {
	refund.View

	RefundID string `json:"refund_id"`
	// Claim is what the event tells of; null for refund.created.
	Claim *refund.ClaimView `json:"claim"`
}

// RecordRefund records an event of a refund. It fails when the claim, or the refund
// where no claim is named, has an event of this type.
func RecordRefund(ctx context.Context, q *db.Queries, r Refund) error {
	data, resource := refundData{View: r.View, RefundID: r.View.ID}, r.View.ID
	if at := slices.IndexFunc(r.View.Claims, func(c refund.ClaimView) bool { return c.ID == r.ClaimID }); at >= 0 {
		data.Claim, resource = &r.View.Claims[at], r.ClaimID
	}
	_, err := Record(ctx, q, Event{
		MerchantID: r.MerchantID, Mode: config.Live, Type: r.Type, ResourceID: resource, Data: data, At: r.At,
	})
	return err
}
