package merchant

import (
	"context"
	"regexp"
	"time"

	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/postgres"
)

var chargeID = regexp.MustCompile(`^ch_[0-9a-f]{24}$`)

// isChargeID tells whether a text has the form of a charge's identifier.
func isChargeID(id string) bool { return chargeID.MatchString(id) }

// findCharge reads a charge, whoever asks.
func findCharge(ctx context.Context, store *postgres.Store, id string, now time.Time) (postgres.ChargeFacts, error) {
	if !isChargeID(id) {
		return postgres.ChargeFacts{}, notFound("charge")
	}
	found, err := store.Charge(ctx, id, now)
	if postgres.IsNotFound(err) {
		return postgres.ChargeFacts{}, notFound("charge")
	}
	return found, err
}

var requestID = regexp.MustCompile(`^pr_[0-9a-f]{24}$`)

// isRequestID tells whether a text has the form of a payment request's identifier.
func isRequestID(id string) bool { return requestID.MatchString(id) }

// findRequest reads a payment request, whoever asks.
func findRequest(ctx context.Context, store *postgres.Store, id string) (postgres.SharedRequest, error) {
	if !isRequestID(id) {
		return postgres.SharedRequest{}, notFound("payment request")
	}
	found, err := store.PaymentRequest(ctx, id)
	if postgres.IsNotFound(err) {
		return postgres.SharedRequest{}, notFound("payment request")
	}
	return found, err
}

// openRequest reads a payment request that can be paid now.
func openRequest(ctx context.Context, store *postgres.Store, id string, now time.Time) (postgres.SharedRequest, error) {
	found, err := findRequest(ctx, store, id)
	if err != nil {
		return postgres.SharedRequest{}, err
	}
	if found.Suspended || found.Request.StatusAt(now) != paymentrequest.Active {
		return postgres.SharedRequest{}, gone("the payment request is no longer valid")
	}
	return found, nil
}
