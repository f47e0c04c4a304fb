package service

import (
	"context"
	"regexp"
	"time"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// ChargeOfRequest returns the charge that a visit of the payment request creates.
func ChargeOfRequest(r charge.Request) chargestore.New {
	mode := config.Live
	if r.Sandbox {
		mode = config.Sandbox
	}
	return chargestore.New{
		ChargeID: secret.NewID("ch_"), MerchantID: r.MerchantID, Mode: mode,
		Source: charge.FromPaymentRequest, PaymentRequestID: &r.ID, Amount: r.Amount, Currency: r.Currency,
		Metadata: DescribedMetadata(r.Description), Description: r.Description, Fields: r.Fields,
	}
}

var chargeID = regexp.MustCompile(`^ch_[0-9a-f]{24}$`)

// IsChargeID reports whether a text has the form of a charge's identifier.
func IsChargeID(id string) bool { return chargeID.MatchString(id) }

// Charge reads a charge of any merchant. The caller checks who may see it.
func Charge(ctx context.Context, store *postgres.Store, id string, now time.Time) (postgres.ChargeFacts, error) {
	return find(ctx, store.Charge, id, now)
}

// PublicCharge is Charge that reads only the part that customers see.
func PublicCharge(ctx context.Context, store *postgres.Store, id string, now time.Time) (postgres.ChargeFacts, error) {
	return find(ctx, store.PublicCharge, id, now)
}

func find(ctx context.Context, read func(context.Context, string, time.Time) (postgres.ChargeFacts, error), id string, now time.Time) (postgres.ChargeFacts, error) {
	if !IsChargeID(id) {
		return postgres.ChargeFacts{}, httpapi.NotFound("charge")
	}
	found, err := read(ctx, id, now)
	return found, httpapi.Missing(err, httpapi.NotFound("charge"))
}

// OwnCharge is Charge for a merchant's key of a mode. It returns 404 for charges of other
// merchants and of the other mode.
func OwnCharge(ctx context.Context, store *postgres.Store, id, merchantID string, mode config.Mode, now time.Time) (postgres.ChargeFacts, error) {
	found, err := Charge(ctx, store, id, now)
	if err == nil {
		err = CheckOwner("charge", found.Charge.MerchantID == merchantID, found.Charge.Sandbox, mode)
	}
	if err != nil {
		return postgres.ChargeFacts{}, err
	}
	return found, nil
}

// CheckOwner returns 404 unless something is the caller's and of the mode of the caller's key. Only
// its owner learns that it exists in the other mode.
func CheckOwner(what string, own, sandbox bool, mode config.Mode) error {
	switch {
	case !own:
		return httpapi.NotFound(what)
	case sandbox != (mode == config.Sandbox):
		return httpapi.InOtherMode(what, sandbox)
	default:
		return nil
	}
}

var requestID = regexp.MustCompile(`^pr_[0-9a-f]{24}$`)

// IsRequestID reports whether a text has the form of a payment request's identifier.
func IsRequestID(id string) bool { return requestID.MatchString(id) }

// Request reads a payment request of any merchant. The caller checks who may see it.
func Request(ctx context.Context, store *postgres.Store, id string) (postgres.SharedRequest, error) {
	if !IsRequestID(id) {
		return postgres.SharedRequest{}, httpapi.NotFound("payment request")
	}
	found, err := store.PaymentRequest(ctx, id)
	return found, httpapi.Missing(err, httpapi.NotFound("payment request"))
}

// OwnRequest is Request for a merchant's key of a mode. It returns 404 for requests of other
// merchants and of the other mode.
func OwnRequest(ctx context.Context, store *postgres.Store, id, merchantID string, mode config.Mode) error {
	found, err := Request(ctx, store, id)
	if err != nil {
		return err
	}
	return CheckOwner("payment request", found.Request.MerchantID == merchantID, found.Request.Sandbox, mode)
}

// OpenRequest reads a payment request that can be paid now. It returns 410 for one that cannot.
func OpenRequest(ctx context.Context, store *postgres.Store, id string, now time.Time) (postgres.SharedRequest, error) {
	found, err := Request(ctx, store, id)
	if err != nil {
		return postgres.SharedRequest{}, err
	}
	if found.Suspended || found.Request.StatusAt(now) != charge.RequestActive {
		return found, httpapi.Gone("the payment request is no longer valid")
	}
	return found, nil
}
