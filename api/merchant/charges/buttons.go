package charges

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// Buttons answers requests about buttons.
type Buttons struct {
	Store  *postgres.Store
	Start  service.Workflows
	Limits *access.Limits
	Clock  func() time.Time
	// PublicURL is the base URL that customers see, without a trailing slash.
	PublicURL string
}

// Register registers the route of payment buttons.
func (h *Buttons) Register(api operation.API) {
	const at = "POST /api/charges/button"
	form := &httpapi.Form{Numbers: []string{"amount", "expires_in"}, Lists: []string{"fields"}}
	operation.Public(api, operation.Route{ID: "createButtonCharge", At: at, Limit: access.Create, Form: form}, h.createButtonCharge)
	operation.DescribeForm[charge.View](api, at)
}

type newButtonCharge struct {
	MerchantID  *string            `json:"merchant_id,omitempty" doc:"Who is paid, 32 hex digits; not needed with payment_request_id" example:"0123456789abcdef0123456789abcdef"`
	Amount      *money.Decimal     `json:"amount,omitempty" minimum:"0.01" maximum:"10000000" doc:"In the unit of currency, at most 2 decimals (12 for XMR); required without payment_request_id, and with one that of the request"`
	Currency    *string            `json:"currency,omitempty" enum:"USD,EUR,XMR" default:"USD" doc:"Currency of amount"`
	Description *string            `json:"description,omitempty" doc:"Text shown to the customer, at most 500 characters; anybody can send it, so markup is removed"`
	Fields      service.FieldNames `json:"fields,omitempty"`
	ExpiresAt   *wire.Time         `json:"expires_at,omitempty" doc:"Link expiration, within a year; excludes expires_in"`
	ExpiresIn   *money.Decimal     `json:"expires_in,omitempty" doc:"Link expiration in hours from now; excludes expires_at"`

	PaymentRequestID *string `json:"payment_request_id,omitempty" doc:"Payment request to pay: it settles merchant, amount, currency, description and fields. One with required_fields is paid on its own page alone" example:"pr_0123456789abcdef01234567"`
}

func (h *Buttons) createButtonCharge(ctx context.Context, in *struct {
	Body httpapi.Body[newButtonCharge]
	httpapi.FromClient
}) (*service.FormAnswer[charge.View], error) {
	fields := in.Body.Value()
	req, err := h.buttonCharge(ctx, fields)
	if err != nil {
		return nil, err
	}
	req.ClientCode, req.CrowdCode = h.Limits.ShareOf(in.Remote())
	made, err := h.Start.CreateCharge(ctx, req)
	if err != nil {
		return nil, err
	}
	return service.ToPage(ctx, req.ChargeID, charge.ViewOf(made, charge.Facts{Now: h.Clock()}, h.PublicURL)), nil
}

// buttonCharge checks a customer's request and returns the charge to create.
func (h *Buttons) buttonCharge(ctx context.Context, f newButtonCharge) (chargestore.New, error) {
	if f.PaymentRequestID != nil {
		return h.requestCharge(ctx, f)
	}
	req := chargestore.New{ChargeID: secret.NewID("ch_"), Mode: config.Live, Source: charge.FromButton}
	var err error
	if req.Amount, req.Currency, err = service.CheckAmount(f.Amount, f.Currency); err != nil {
		return req, err
	}
	if req.Description, err = service.ShortText("description", f.Description, service.MaxDescription); err != nil {
		return req, err
	}
	req.Metadata = service.DescribedMetadata(req.Description)
	if req.Fields, err = charge.CheckFields(f.Fields); err != nil {
		return req, httpapi.BadRequest("%s", err)
	}
	if req.LinkExpiresAt, err = service.LinkExpiry(f.ExpiresAt, f.ExpiresIn, h.Clock()); err != nil {
		return req, err
	}
	req.MerchantID, err = h.payee(ctx, f.MerchantID)
	return req, err
}

// payee returns the merchant that a button pays. Buttons exist only in the live mode.
func (h *Buttons) payee(ctx context.Context, id *string) (string, error) {
	if id == nil || !secret.IsMerchantID(*id) {
		return "", httpapi.BadRequest("merchant_id must be 32 hex digits")
	}
	m, err := h.Store.GetMerchant(ctx, *id)
	switch {
	case postgres.IsNotFound(err), err == nil && m.DeletedAt != nil:
		return "", httpapi.NotFound("merchant")
	case err != nil:
		return "", err
	case m.SuspendedAt != nil:
		return "", access.Suspended()
	}
	return m.MerchantID, nil
}

// requestCharge returns the charge for a button that names a payment request. The request fixes
// the charge's terms, so the button's merchant, amount and currency must agree with it (400). A button
// sends no values of the buyer, so it cannot pay a request that requires some (400).
func (h *Buttons) requestCharge(ctx context.Context, f newButtonCharge) (chargestore.New, error) {
	found, err := service.OpenRequest(ctx, h.Store, *f.PaymentRequestID, h.Clock())
	if err != nil {
		return chargestore.New{}, err
	}
	r := found.Request
	if f.MerchantID != nil && *f.MerchantID != r.MerchantID {
		return chargestore.New{}, httpapi.BadRequest("merchant_id is not that of the payment request")
	}
	if !r.Asks(f.Amount, f.Currency) {
		return chargestore.New{}, httpapi.BadRequest("amount and currency must be those of the payment request")
	}
	if charge.CheckRequiredValues(r.Required, nil) != nil {
		return chargestore.New{}, httpapi.BadRequest("buyer fields are required: the page of the payment request asks for them")
	}
	req := service.ChargeOfRequest(r)
	req.LinkExpiresAt, err = service.LinkExpiry(f.ExpiresAt, f.ExpiresIn, h.Clock())
	return req, err
}
