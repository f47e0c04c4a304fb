package pullpayments

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/refund"
)

type newPullPayment struct {
	Name              *string          `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer"`
	Description       *string          `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	Amount            *dialect.Amount  `json:"amount" required:"true" doc:"What is given back, in currency; fixed in XMR now"`
	Currency          *string          `json:"currency" required:"true" doc:"USD, EUR or XMR"`
	Period            *int64           `json:"period,omitempty" nullable:"true" doc:"Only null: it is claimed once"`
	AutoApproveClaims *bool            `json:"autoApproveClaims,omitempty" nullable:"true" doc:"Only false: no charge says what was received"`
	StartsAt          *dialect.Seconds `json:"startsAt,omitempty" nullable:"true" doc:"Not later than now"`
	ExpiresAt         *dialect.Seconds `json:"expiresAt,omitempty" nullable:"true" doc:"Until when it can be claimed, within a year. Default: 30 days"`
	PaymentMethods    []string         `json:"paymentMethods,omitempty" nullable:"true" doc:"XMR-CHAIN; none stands for all"`
	PayoutMethods     []string         `json:"payoutMethods,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
}

type newRefund struct {
	Name               *string         `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer. Default: Refund and the invoice"`
	Description        *string         `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	PaymentMethod      *string         `json:"paymentMethod,omitempty" nullable:"true" doc:"XMR-CHAIN"`
	PayoutMethodID     *string         `json:"payoutMethodId,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
	RefundVariant      *refund.Variant `json:"refundVariant" required:"true" enum:"RateThen,CurrentRate,OverpaidAmount,Fiat,Custom" doc:"RateThen: what was received, in XMR. CurrentRate: what that was worth in the invoice's currency, at the rate of now. OverpaidAmount: what came beyond the amount. Fiat: as CurrentRate. Custom: customAmount and customCurrency"`
	SubtractPercentage *dialect.Amount `json:"subtractPercentage,omitempty" nullable:"true" doc:"Percentage that is kept: 0 to, and without, 100"`
	CustomAmount       *dialect.Amount `json:"customAmount,omitempty" nullable:"true" doc:"For Custom alone"`
	CustomCurrency     *string         `json:"customCurrency,omitempty" nullable:"true" doc:"Of customAmount: USD, EUR or XMR"`
}

// registerCreate adds the routes that create refunds.
func (h *Handler) registerCreate(api dialect.API) {
	dialect.WithKey(api, dialect.Route{
		ID: "PullPayments_CreatePullPayment", Method: http.MethodPost, Path: "/api/v1/stores/{storeId}/pull-payments", Tag: dialect.TagPulls,
		Permission: permission.CreateNonApprovedPullPayments, Limit: access.Create, Summary: "Create a pull payment",
		Text: "A refund that names no invoice. It may be as much as the store's unpaid balance, less what other refunds hold of it: " +
			"more is refused. Every claim of it waits for the merchant's approval. Where the invoice is known, a refund of that is " +
			"the better way: what was received for it bounds that, and no sweep is in its way.",
		Errors: []int{http.StatusServiceUnavailable}, Request: examplePull(), Response: viewOf(exampleRefund()),
	}, h.create)
	dialect.WithKey(api, dialect.Route{
		ID: "Invoices_RefundInvoice", Method: http.MethodPost, Path: "/api/v1/stores/{storeId}/invoices/{invoiceId}/refund", Tag: dialect.TagInvoices,
		Permission: permission.CreateNonApprovedPullPayments, Limit: access.Create, Summary: "Refund an invoice",
		Text: "The amount in XMR is fixed now, and never more than what was received for the invoice less what its other refunds hold. " +
			"The invoice must be settled. Claims wait for approval, unless the merchant lets refunds of that size go by themselves " +
			"and the key has the permission `" + string(permission.CreatePullPayments) + "`, which no other contains.",
		Errors: []int{http.StatusNotFound, http.StatusServiceUnavailable}, Request: exampleNewRefund(), Response: viewOf(exampleRefund()),
	}, h.refund)
}

func (h *Handler) create(ctx context.Context, caller access.Key, in *struct {
	StorePath
	Body httpapi.Body[newPullPayment]
},
) (*httpapi.Out[pullPayment], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	ask, err := f.ask(h.Links.Clock())
	if err != nil {
		return nil, err
	}
	return h.make(ctx, caller, ask, "amount")
}

// ask checks the request for a refund that names no invoice.
func (f newPullPayment) ask(now time.Time) (service.NewRefund, error) {
	a := service.NewRefund{Name: text(f.Name), Description: text(f.Description)}
	switch {
	case f.Amount == nil:
		return a, dialect.Invalid("amount", "amount is required")
	case f.Currency == nil:
		return a, dialect.Invalid("currency", "currency is required")
	case f.Period != nil:
		return a, dialect.Invalid("period", "period must be null: a pull payment is claimed once")
	case f.AutoApproveClaims != nil && *f.AutoApproveClaims:
		return a, dialect.Invalid("autoApproveClaims", "autoApproveClaims must be false: the merchant approves claims")
	case f.StartsAt != nil && int64(*f.StartsAt) > now.Unix():
		return a, dialect.Invalid("startsAt", "startsAt must not be later than now")
	}
	for field, names := range map[string][]string{"paymentMethods": f.PaymentMethods, "payoutMethods": f.PayoutMethods} {
		if len(names) > 0 && !slices.ContainsFunc(names, invoice.IsMethodXMR) {
			return a, dialect.Invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.ExpiresAt != nil {
		left := int64(*f.ExpiresAt) - now.Unix()
		if left <= 0 || left > int64(refund.MaxLife/time.Second) {
			return a, dialect.Invalid("expiresAt", "expiresAt must be within a year from now")
		}
		at := time.Unix(int64(*f.ExpiresAt), 0)
		a.ExpiresAt = &at
	}
	a.Refund = refund.Ask{Variant: refund.Custom, Amount: f.Amount.Decimal, Currency: currency(f.Currency)}
	return a, wrong(a.Refund, "amount", "currency")
}

func (h *Handler) refund(ctx context.Context, caller access.Key, in *struct {
	InvoicePath
	Body httpapi.Body[newRefund]
},
) (*httpapi.Out[pullPayment], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if _, err := service.OwnCharge(ctx, h.Links.Store, in.InvoiceID, caller.MerchantID, caller.Mode, h.Links.Clock()); err != nil {
		return nil, missing(err, noInvoice)
	}
	ask, err := f.ask(in.InvoiceID)
	if err != nil {
		return nil, err
	}
	return h.make(ctx, caller, ask, "")
}

// ask checks the request for a refund of an invoice.
func (f newRefund) ask(invoiceID string) (service.NewRefund, error) {
	a := service.NewRefund{ChargeID: invoiceID, Name: "Refund " + invoiceID, Description: text(f.Description)}
	if f.Name != nil {
		a.Name = *f.Name
	}
	for field, name := range map[string]*string{"paymentMethod": f.PaymentMethod, "payoutMethodId": f.PayoutMethodID} {
		if name != nil && *name != "" && !invoice.IsMethodXMR(*name) {
			return a, dialect.Invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.RefundVariant == nil {
		return a, dialect.Invalid("refundVariant", "refundVariant is required")
	}
	a.Refund.Variant, a.Refund.Currency = *f.RefundVariant, money.XMR
	if f.SubtractPercentage != nil {
		a.Refund.SubtractPercent = f.SubtractPercentage.Decimal
	}
	if a.Refund.Variant == refund.Custom {
		if f.CustomAmount == nil {
			return a, dialect.Invalid("customAmount", "customAmount is required")
		}
		if f.CustomCurrency == nil {
			return a, dialect.Invalid("customCurrency", "customCurrency is required")
		}
		a.Refund.Amount, a.Refund.Currency = f.CustomAmount.Decimal, currency(f.CustomCurrency)
	}
	return a, wrong(a.Refund, "customAmount", "customCurrency")
}

// wrong returns an error that names the invalid field of a request; nil if there is none.
func wrong(a refund.Ask, amountField, currencyField string) error {
	err := a.Check()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, refund.ErrVariant):
		return dialect.Invalid("refundVariant", "%s", err)
	case errors.Is(err, refund.ErrPercent):
		return dialect.Invalid("subtractPercentage", "%s", err)
	case errors.Is(err, refund.ErrCurrency):
		return dialect.Invalid(currencyField, "%s", err)
	default:
		return dialect.Invalid(amountField, "%s", err)
	}
}

// make creates a refund and returns it with its link. If the money does not suffice, the error
// names field.
func (h *Handler) make(ctx context.Context, caller access.Key, ask service.NewRefund, field string) (*httpapi.Out[pullPayment], error) {
	if inSandbox(caller) {
		return nil, dialect.Invalid("", "the sandbox has no refunds")
	}
	made, err := h.Links.Create(ctx, caller, ask)
	if refused := httpapi.RefusalOf(err); refused != nil && refused.Status == http.StatusBadRequest {
		err = dialect.Invalid(field, "%s", refused.Text)
	}
	if err != nil {
		return nil, err
	}
	return httpapi.With(viewOf(made), nil)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func currency(s *string) money.Currency { return money.Currency(strings.ToUpper(*s)) }
