package postgres

import (
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// SharedRequest is a payment request with the merchant's data that its link
// shows.
type SharedRequest struct {
	Request      charge.Request
	BusinessName string
	// Suspended reports whether the merchant may not take payments.
	Suspended bool
}

// PaymentRequest reads one payment request. It returns ErrNotFound if there is
// none.
func (s *Store) PaymentRequest(ctx context.Context, id string) (SharedRequest, error) {
	row, err := s.GetPaymentRequest(ctx, id)
	if err != nil {
		return SharedRequest{}, notFound(err)
	}
	return SharedRequest{RequestOf(row.PaymentRequest), row.BusinessName, row.Suspended}, nil
}

// RequestOf converts a row to the domain's payment request.
func RequestOf(r db.PaymentRequest) charge.Request {
	return charge.Request{
		ID: r.ID, MerchantID: r.MerchantID, Sandbox: r.Mode == string(config.Sandbox), Amount: r.Amount,
		Currency: money.Currency(r.Currency), Description: r.Description, Reference: r.Reference, SingleUse: r.SingleUse,
		Fields: r.Fields, ExpiresAt: r.ExpiresAt, Active: r.Active, CompletedPayments: r.CompletedPayments,
		ConsumedAt: r.ConsumedAt, CreatedAt: r.CreatedAt,
	}
}
