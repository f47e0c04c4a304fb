package checkout

import (
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/workflows"
)

// ChargeOfRequest is the charge that a visit of the request makes.
func ChargeOfRequest(r paymentrequest.Request) (workflows.ChargeInput, workflows.CreateCharge) {
	to := workflows.ChargeInput{MerchantID: r.MerchantID, Mode: config.Live}
	if r.Sandbox {
		to.Mode = config.Sandbox
	}
	return to, workflows.CreateCharge{
		Source: charge.FromPaymentRequest, PaymentRequestID: &r.ID, Amount: r.Amount, Currency: r.Currency,
		Metadata: DescribedMetadata(r.Description), Description: r.Description, Fields: r.Fields,
	}
}
