package chargestore

import (
	"cmp"
	"context"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
)

// admit refuses a charge that anyone can make if its merchant has as many of them pending
// as allowed, or if its payment request has ended. It locks the merchant's row until the
// charge is inserted, so that concurrent charges are counted one after the other. Charges
// that are made with a key do not wait for the lock.
func admit(ctx context.Context, q *db.Queries, in New) error {
	if in.Source == charge.FromAPI {
		return nil
	}
	if _, err := q.LockMerchant(ctx, in.MerchantID); postgres.IsNotFound(err) {
		return noMerchant()
	} else if err != nil {
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

func noMerchant() error { return refusals.New(refusals.Merchant, "the merchant does not exist") }

// begin reads what a charge begins with: the settings of its merchant, who must exist,
// must not be suspended and must have room for one more charge, and an address of the
// merchant's wallet. The address index is 0 if no address is ready, and for a simulated
// charge. Charges that are made at the same moment may exceed the room by their number,
// because none waits for the count.
func (s *Charges) begin(ctx context.Context, q *db.Queries, in New) (db.BeginChargeRow, error) {
	params := db.BeginChargeParams{
		ChargeID: in.ChargeID, MerchantID: in.MerchantID, Mode: string(in.Mode), PendingMax: int64(cmp.Or(s.PendingMax, charge.MaxPending)),
	}
	if !s.simulates(in.Mode) {
		params.SandboxWallets, params.OtherWallet = s.SandboxWallets, s.otherSandboxWallet(in.MerchantID)
	}
	begun, err := q.BeginCharge(ctx, params)
	switch {
	case postgres.IsNotFound(err):
		return begun, noMerchant()
	case err != nil:
		return begun, err
	case begun.Suspended:
		return begun, refusals.New(refusals.Suspended, "the account is suspended")
	case begun.Pending >= begun.PendingMax:
		return begun, refusals.New(refusals.TooMany, "the account has too many pending charges, try again later")
	default:
		return begun, nil
	}
}
