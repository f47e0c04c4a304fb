package service

import (
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/secret"
)

// ChargeOfRequest returns the charge that a visit of the payment request creates.
func ChargeOfRequest(r paymentrequest.Request) chargestore.New {
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
