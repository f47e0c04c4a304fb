package charges

import (
	"cmp"
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// admit refuses a charge that anybody could make, when its merchant has as
// many of them pending as allowed, or when its payment request has ended. It
// holds the merchant's row until the charge is inserted, so that two at once
// are counted one after the other. Charges that are made with a key do not
// wait for it.
func admit(ctx context.Context, q *db.Queries, in CreateCharge) error {
	if in.Source == charge.FromAPI {
		return nil
	}
	if _, err := q.LockMerchant(ctx, in.MerchantID); err != nil {
		return err
	}
	open, err := q.CountPendingButtons(ctx, db.CountPendingButtonsParams{
		MerchantID: in.MerchantID, ClientCode: in.ClientCode, CrowdCode: in.CrowdCode,
	})
	if err != nil {
		return err
	}
	switch {
	case open.Pending >= charge.MaxPendingButtons:
		return refusals.New(refusals.TooMany, "the merchant has too many pending payments, try again later")
	case open.OfClient >= charge.MaxPendingOfClient, open.OfCrowd >= charge.MaxPendingOfCrowd:
		return refusals.New(refusals.TooMany, "you have too many payments of this merchant open, try again later")
	}
	if in.PaymentRequestID == nil {
		return nil
	}
	request, err := q.HoldPaymentRequest(ctx, *in.PaymentRequestID)
	if postgres.IsNotFound(err) || (err == nil && postgres.RequestOf(request).StatusAt(in.Now) != paymentrequest.Active) {
		return refusals.New(refusals.Request, "the payment request is no longer valid")
	}
	return err
}

// settings are those of the merchant, who is there, not suspended, and has room for one
// more charge.
func (a *Handler) settings(ctx context.Context, q *db.Queries, in CreateCharge) (db.ChargeSettingsRow, error) {
	settings, err := q.ChargeSettings(ctx, db.ChargeSettingsParams{MerchantID: in.MerchantID, Mode: string(in.Mode)})
	switch {
	case postgres.IsNotFound(err):
		return settings, refusals.New(refusals.Merchant, "the merchant does not exist")
	case err != nil:
		return settings, err
	case settings.Suspended:
		return settings, refusals.New(refusals.Suspended, "the account is suspended")
	case settings.Pending >= a.pendingMax(settings):
		return settings, refusals.New(refusals.TooMany, "the account has too many pending charges, try again later")
	default:
		return settings, nil
	}
}

// pendingMax is how many charges of the merchant may be pending in a mode. Charges that
// are made at the same moment may exceed it by their number, because none
// waits for the count.
func (a *Handler) pendingMax(settings db.ChargeSettingsRow) int64 {
	if settings.PendingChargesMax != nil {
		return int64(*settings.PendingChargesMax)
	}
	return int64(cmp.Or(a.PendingMax, charge.MaxPending))
}
