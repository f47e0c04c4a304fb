package service

import (
	"context"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/monero/scan"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/workflows"
)

// maxTxKey is the maximum length of a transaction's keys. Transactions have 16 outputs at most.
const maxTxKey = 2048

// addPayments adds what the shop needs to pay claims from its own wallet.
func (l RefundLinks) addPayments(found chargestore.Refund, claims []refund.ClaimState) error {
	for i, c := range found.Claims {
		sealed := c.RefundClaim.OwnAddressSealed
		if sealed == nil {
			continue
		}
		address, err := l.Box.Unseal(sealed, secret.OwnClaimPlace.Of(c.RefundClaim.ID))
		if err != nil {
			return err
		}
		claims[i].PaymentAddress = new(string(address))
		claims[i].PaymentURI = new(charge.PaymentURI(string(address), c.RefundClaim.Amount))
	}
	return nil
}

// GivePayment has a transaction checked with which a merchant has paid a claim from its own
// wallet. Giving the same again changes nothing. Clients may see its errors.
func (l RefundLinks) GivePayment(ctx context.Context, merchantID, id string, payment workflows.GivePayment) (refund.Refunded, error) {
	found, err := l.own(ctx, merchantID, id)
	if err != nil {
		return refund.Refunded{}, err
	}
	if _, err := scan.ParseHash(payment.TxHash); err != nil {
		return refund.Refunded{}, httpapi.BadRequest("tx_hash must be the hash of a transaction: 64 hex digits")
	}
	if _, err := monero.ParseTxKey(payment.TxKey); err != nil || len(payment.TxKey) > maxTxKey {
		return refund.Refunded{}, httpapi.BadRequest("tx_key must be the key of a transaction as wallets show it: 64 hex digits, or several times as many")
	}
	// These checks come before the call to Temporal, so that an invalid request starts no workflow.
	_, given, err := chargestore.UnpaidClaim(found, payment.ClaimID, payment.TxHash)
	if err == nil && !given {
		err = l.Start.GivePayment(ctx, merchantID, id, payment)
	}
	if err != nil {
		return refund.Refunded{}, err
	}
	return l.Get(ctx, merchantID, id)
}
