package merchant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/paymentrequest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/timestamp"
	"github.com/durapay/durapay/workflows"
)

// publicRequest is a payment request as its customer sees it.
type publicRequest struct {
	ID           string          `json:"id" doc:"Payment request identifier" example:"pr_0123456789abcdef01234567"`
	Amount       money.Decimal   `json:"amount" doc:"Amount asked for, in currency"`
	Currency     money.Currency  `json:"currency" enum:"USD,EUR,XMR" doc:"Currency of amount"`
	Description  *string         `json:"description" doc:"What is paid for"`
	Fields       []string        `json:"fields" doc:"Buyer fields that the page asks for"`
	ExpiresAt    *timestamp.Time `json:"expires_at" doc:"End of the link; null when it has none"`
	SingleUse    bool            `json:"single_use" doc:"Consumed by the first successful payment"`
	BusinessName string          `json:"business_name" doc:"Who asks"`
	XMRPrice     *money.Decimal  `json:"xmr_price" doc:"Current price of 1 XMR in currency; null for XMR"`
	AmountXMR    money.Piconero  `json:"amount_xmr" doc:"Amount in XMR at the current price"`
}

// registerRequestPublic adds what customers see of a payment request.
func registerRequestPublic(api huma.API, a *app) {
	public(api, a, route{
		id: "getPublicPaymentRequest", method: http.MethodGet, path: "/api/payment-requests/{id}/public", tag: tagRequests, limit: limitPublic,
		summary:  "Get what a customer may see of a payment request",
		text:     "With the price of the moment. Answers 410 when it is inactive, expired or consumed.",
		errors:   []int{http.StatusNotFound, http.StatusGone},
		response: examplePublicRequest(),
	}, a.publicRequest)
}

func (a *app) publicRequest(ctx context.Context, in *requestInput) (*out[publicRequest], error) {
	found, err := a.openRequest(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	r := found.Request
	v := publicRequest{
		ID: r.ID, Amount: r.Amount, Currency: r.Currency, Description: r.Description, Fields: r.Fields,
		ExpiresAt: timestamp.OfPtr(r.ExpiresAt), SingleUse: r.SingleUse, BusinessName: found.BusinessName,
	}
	if v.XMRPrice, v.AmountXMR, err = a.worth(r); err != nil {
		return nil, err
	}
	return answer(v, nil)
}

// openRequest reads a payment request that can be paid now.
func (a *app) openRequest(ctx context.Context, id string) (postgres.SharedRequest, error) {
	found, err := a.anyRequest(ctx, id)
	if err != nil {
		return postgres.SharedRequest{}, err
	}
	if found.Suspended || found.Request.StatusAt(a.Clock()) != paymentrequest.Active {
		return postgres.SharedRequest{}, gone("the payment request is no longer valid")
	}
	return found, nil
}

// worth is the price of the moment, nil for an amount in XMR, and the amount at
// that price.
func (a *app) worth(r paymentrequest.Request) (*money.Decimal, money.Piconero, error) {
	if r.Currency == money.XMR {
		amount, err := money.PiconeroFromXMR(r.Amount)
		return nil, amount, err
	}
	quote, err := a.Prices.Price(r.Currency)
	if err != nil {
		return nil, 0, unavailable("no exchange rate is available", retryPrice)
	}
	amount, err := money.FromFiat(r.Amount, quote.Price)
	return &quote.Price, amount, err
}

// requestCharge is the charge of a payment request that a button names. What
// else the button says must agree with the request, which settles all of it.
func (a *app) requestCharge(ctx context.Context, f newButtonCharge) (workflows.ChargeInput, workflows.CreateCharge, error) {
	found, err := a.openRequest(ctx, *f.PaymentRequestID)
	if err != nil {
		return workflows.ChargeInput{}, workflows.CreateCharge{}, err
	}
	r := found.Request
	if f.MerchantID != nil && *f.MerchantID != r.MerchantID {
		return workflows.ChargeInput{}, workflows.CreateCharge{}, badRequest("merchant_id is not that of the payment request")
	}
	if !r.Asks(f.Amount, f.Currency) {
		return workflows.ChargeInput{}, workflows.CreateCharge{}, badRequest("amount and currency must be those of the payment request")
	}
	to, req := chargeOfRequest(r)
	req.LinkExpiresAt, err = linkExpiry(f.ExpiresAt, f.ExpiresIn, a.Clock())
	return to, req, err
}

// chargeOfRequest is the charge that a visit of the request makes.
func chargeOfRequest(r paymentrequest.Request) (workflows.ChargeInput, workflows.CreateCharge) {
	to := workflows.ChargeInput{MerchantID: r.MerchantID, Mode: config.Live}
	if r.Sandbox {
		to.Mode = config.Sandbox
	}
	return to, workflows.CreateCharge{
		Source: charge.FromPaymentRequest, PaymentRequestID: &r.ID, Amount: r.Amount, Currency: r.Currency,
		Metadata: describedMetadata(r.Description), Description: r.Description, Fields: r.Fields,
	}
}
