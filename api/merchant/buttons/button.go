package buttons

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/timestamp"
)

type newButtonCharge struct {
	MerchantID  *string             `json:"merchant_id,omitempty" doc:"Who is paid, 32 hex digits; not needed with payment_request_id" example:"0123456789abcdef0123456789abcdef"`
	Amount      *money.Decimal      `json:"amount,omitempty" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR); required without payment_request_id, and with one that of the request"`
	Currency    *string             `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Description *string             `json:"description,omitempty" doc:"Text shown to the customer, at most 500 characters; anybody can send it, so markup is removed"`
	Fields      checkout.FieldNames `json:"fields,omitempty"`
	ExpiresAt   *timestamp.Time     `json:"expires_at,omitempty" doc:"Link expiration, within a year; excludes expires_in"`
	ExpiresIn   *money.Decimal      `json:"expires_in,omitempty" doc:"Link expiration in hours from now; excludes expires_at"`

	PaymentRequestID *string `json:"payment_request_id,omitempty" doc:"Payment request to pay: it settles merchant, amount, currency, description and fields" example:"pr_0123456789abcdef01234567"`
}

// registerButton registers the route of payment buttons.
func (h *Handler) registerButton(api operation.API) {
	const path = "/api/charges/button"
	operation.Public(api, operation.Route{
		ID: "createButtonCharge", Method: http.MethodPost, Path: path, Tag: operation.TagCharges, Limit: limits.Create,
		Form:    &request.Form{Numbers: []string{"amount", "expires_in"}, Lists: []string{"fields"}},
		Summary: "Create a charge from a payment button",
		Text: "Needs no credential. Takes a plain HTML form too, which is answered with the way to the payment page. A form " +
			"that is refused gets a page of the same status where its sender accepts `text/html`, and the error body " +
			"elsewhere. For a payment request amount and currency are that of the request: others are a 400. 403 for a " +
			"suspended merchant, 410 for a payment request of one. At most 50 such charges of a merchant can be pending at " +
			"the same time, 30 of them from one address and 25 through Tor; more answer 429 with `Retry-After`.",
		Errors:   []int{http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusServiceUnavailable},
		Request:  exampleButton(),
		Response: example.Charge(),
	}, h.createButtonCharge)
	operation.DescribeForm[charge.View](api, path)
}

func (h *Handler) createButtonCharge(ctx context.Context, in *struct {
	Body request.Body[newButtonCharge]
	request.FromClient
}) (*checkout.FormAnswer[charge.View], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	req, err := h.buttonCharge(ctx, fields)
	if err != nil {
		return nil, err
	}
	req.ClientCode, req.CrowdCode = h.Limits.ShareOf(in.Remote())
	made, err := h.Start.CreateCharge(ctx, req)
	if err != nil {
		return nil, err
	}
	return checkout.ToPage(ctx, req.ChargeID, charge.ViewOf(made, charge.Facts{Now: h.Clock()}, h.PublicURL)), nil
}

// buttonCharge checks a customer's request and returns the charge to create.
func (h *Handler) buttonCharge(ctx context.Context, f newButtonCharge) (chargestore.New, error) {
	if f.PaymentRequestID != nil {
		return h.requestCharge(ctx, f)
	}
	req := chargestore.New{ChargeID: secret.NewID("ch_"), Mode: config.Live, Source: charge.FromButton}
	var err error
	if req.Amount, req.Currency, err = checkout.Price(f.Amount, f.Currency); err != nil {
		return req, err
	}
	if req.Description, err = checkout.ShortText("description", f.Description, checkout.MaxDescription); err != nil {
		return req, err
	}
	req.Metadata = checkout.DescribedMetadata(req.Description)
	if req.Fields, err = charge.CheckFields(f.Fields); err != nil {
		return req, answer.BadRequest("%s", err)
	}
	if req.LinkExpiresAt, err = checkout.LinkExpiry(f.ExpiresAt, f.ExpiresIn, h.Clock()); err != nil {
		return req, err
	}
	req.MerchantID, err = h.payee(ctx, f.MerchantID)
	return req, err
}

// payee returns the merchant that a button pays. Buttons exist only in the live mode.
func (h *Handler) payee(ctx context.Context, id *string) (string, error) {
	if id == nil || !secret.IsMerchantID(*id) {
		return "", answer.BadRequest("merchant_id must be 32 hex digits")
	}
	m, err := h.Store.GetMerchant(ctx, *id)
	switch {
	case postgres.IsNotFound(err), err == nil && m.DeletedAt != nil:
		return "", answer.NotFound("merchant")
	case err != nil:
		return "", err
	case m.SuspendedAt != nil:
		return "", auth.Suspended()
	}
	return m.MerchantID, nil
}

// requestCharge returns the charge for a button that names a payment request. The request fixes
// the charge's terms, so the button's merchant, amount and currency must agree with it (400).
func (h *Handler) requestCharge(ctx context.Context, f newButtonCharge) (chargestore.New, error) {
	found, err := checkout.OpenRequest(ctx, h.Store, *f.PaymentRequestID, h.Clock())
	if err != nil {
		return chargestore.New{}, err
	}
	r := found.Request
	if f.MerchantID != nil && *f.MerchantID != r.MerchantID {
		return chargestore.New{}, answer.BadRequest("merchant_id is not that of the payment request")
	}
	if !r.Asks(f.Amount, f.Currency) {
		return chargestore.New{}, answer.BadRequest("amount and currency must be those of the payment request")
	}
	req := checkout.ChargeOfRequest(r)
	req.LinkExpiresAt, err = checkout.LinkExpiry(f.ExpiresAt, f.ExpiresIn, h.Clock())
	return req, err
}
