package pullpayments

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/greenfield/exact"
	"github.com/durapay/durapay/api/greenfield/problem"
	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/checkout"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/refundlinks"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/scopedkey"
)

type newPullPayment struct {
	Name              *string        `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer"`
	Description       *string        `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	Amount            *exact.Amount  `json:"amount" required:"true" doc:"What is given back, in currency; fixed in XMR now"`
	Currency          *string        `json:"currency" required:"true" doc:"USD, EUR or XMR"`
	Period            *int64         `json:"period,omitempty" nullable:"true" doc:"Only null: it is claimed once"`
	AutoApproveClaims *bool          `json:"autoApproveClaims,omitempty" nullable:"true" doc:"Only false: no charge says what was received"`
	StartsAt          *exact.Seconds `json:"startsAt,omitempty" nullable:"true" doc:"Not later than now"`
	ExpiresAt         *exact.Seconds `json:"expiresAt,omitempty" nullable:"true" doc:"Until when it can be claimed, within a year. Default: 30 days"`
	PaymentMethods    []string       `json:"paymentMethods,omitempty" nullable:"true" doc:"XMR-CHAIN; none stands for all"`
	PayoutMethods     []string       `json:"payoutMethods,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
}

type newRefund struct {
	Name               *string         `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer. Default: Refund and the invoice"`
	Description        *string         `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	PaymentMethod      *string         `json:"paymentMethod,omitempty" nullable:"true" doc:"XMR-CHAIN"`
	PayoutMethodID     *string         `json:"payoutMethodId,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
	RefundVariant      *refund.Variant `json:"refundVariant" required:"true" enum:"RateThen,CurrentRate,OverpaidAmount,Fiat,Custom" doc:"RateThen: what was received, in XMR. CurrentRate: what that was worth in the invoice's currency, at the rate of now. OverpaidAmount: what came beyond the amount. Fiat: as CurrentRate. Custom: customAmount and customCurrency"`
	SubtractPercentage *exact.Amount   `json:"subtractPercentage,omitempty" nullable:"true" doc:"Percentage that is kept: 0 to, and without, 100"`
	CustomAmount       *exact.Amount   `json:"customAmount,omitempty" nullable:"true" doc:"For Custom alone"`
	CustomCurrency     *string         `json:"customCurrency,omitempty" nullable:"true" doc:"Of customAmount: USD, EUR or XMR"`
}

// registerCreate adds the routes that create refunds.
func (h *Handler) registerCreate(api route.API) {
	route.WithKey(api, route.Route{
		ID: "PullPayments_CreatePullPayment", Method: http.MethodPost, Path: "/api/v1/stores/{storeId}/pull-payments", Tag: route.TagPulls,
		Permission: scopedkey.CreateNonApprovedPullPayments, Limit: limits.Create, Summary: "Create a pull payment",
		Text: "A refund that names no invoice. It may be as much as the store's unpaid balance, less what other refunds hold of it: " +
			"more is refused. Every claim of it waits for the merchant's approval. Where the invoice is known, a refund of that is " +
			"the better way: what was received for it bounds that, and no sweep is in its way.",
		Errors: []int{http.StatusServiceUnavailable}, Request: examplePull(), Response: viewOf(exampleRefund()),
	}, h.create)
	route.WithKey(api, route.Route{
		ID: "Invoices_RefundInvoice", Method: http.MethodPost, Path: "/api/v1/stores/{storeId}/invoices/{invoiceId}/refund", Tag: route.TagInvoices,
		Permission: scopedkey.CreateNonApprovedPullPayments, Limit: limits.Create, Summary: "Refund an invoice",
		Text: "The amount in XMR is fixed now, and never more than what was received for the invoice less what its other refunds hold. " +
			"The invoice must be settled. Claims wait for approval, unless the merchant lets refunds of that size go by themselves " +
			"and the key has the permission `" + string(scopedkey.CreatePullPayments) + "`, which no other contains.",
		Errors: []int{http.StatusNotFound, http.StatusServiceUnavailable}, Request: exampleNewRefund(), Response: viewOf(exampleRefund()),
	}, h.refund)
}

func (h *Handler) create(ctx context.Context, caller auth.Key, in *struct {
	StorePath
	Body request.Body[newPullPayment]
},
) (*answer.Out[pullPayment], error) {
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
func (f newPullPayment) ask(now time.Time) (refundlinks.Ask, error) {
	a := refundlinks.Ask{Name: text(f.Name), Description: text(f.Description)}
	switch {
	case f.Amount == nil:
		return a, problem.Invalid("amount", "amount is required")
	case f.Currency == nil:
		return a, problem.Invalid("currency", "currency is required")
	case f.Period != nil:
		return a, problem.Invalid("period", "period must be null: a pull payment is claimed once")
	case f.AutoApproveClaims != nil && *f.AutoApproveClaims:
		return a, problem.Invalid("autoApproveClaims", "autoApproveClaims must be false: the merchant approves claims")
	case f.StartsAt != nil && int64(*f.StartsAt) > now.Unix():
		return a, problem.Invalid("startsAt", "startsAt must not be later than now")
	}
	for field, names := range map[string][]string{"paymentMethods": f.PaymentMethods, "payoutMethods": f.PayoutMethods} {
		if len(names) > 0 && !slices.ContainsFunc(names, invoice.IsMethodXMR) {
			return a, problem.Invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.ExpiresAt != nil {
		left := int64(*f.ExpiresAt) - now.Unix()
		if left <= 0 || left > int64(refund.MaxLife/time.Second) {
			return a, problem.Invalid("expiresAt", "expiresAt must be within a year from now")
		}
		at := time.Unix(int64(*f.ExpiresAt), 0)
		a.ExpiresAt = &at
	}
	a.Refund = refund.Ask{Variant: refund.Custom, Amount: f.Amount.Decimal, Currency: currency(f.Currency)}
	return a, wrong(a.Refund, "amount", "currency")
}

func (h *Handler) refund(ctx context.Context, caller auth.Key, in *struct {
	InvoicePath
	Body request.Body[newRefund]
},
) (*answer.Out[pullPayment], error) {
	f, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	if _, err := checkout.OwnCharge(ctx, h.Links.Store, in.InvoiceID, caller.MerchantID, caller.Mode, h.Links.Clock()); err != nil {
		return nil, missing(err, noInvoice)
	}
	ask, err := f.ask(in.InvoiceID)
	if err != nil {
		return nil, err
	}
	return h.make(ctx, caller, ask, "")
}

// ask checks the request for a refund of an invoice.
func (f newRefund) ask(invoiceID string) (refundlinks.Ask, error) {
	a := refundlinks.Ask{ChargeID: invoiceID, Name: "Refund " + invoiceID, Description: text(f.Description)}
	if f.Name != nil {
		a.Name = *f.Name
	}
	for field, name := range map[string]*string{"paymentMethod": f.PaymentMethod, "payoutMethodId": f.PayoutMethodID} {
		if name != nil && *name != "" && !invoice.IsMethodXMR(*name) {
			return a, problem.Invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.RefundVariant == nil {
		return a, problem.Invalid("refundVariant", "refundVariant is required")
	}
	a.Refund.Variant, a.Refund.Currency = *f.RefundVariant, money.XMR
	if f.SubtractPercentage != nil {
		a.Refund.SubtractPercent = f.SubtractPercentage.Decimal
	}
	if a.Refund.Variant == refund.Custom {
		if f.CustomAmount == nil {
			return a, problem.Invalid("customAmount", "customAmount is required")
		}
		if f.CustomCurrency == nil {
			return a, problem.Invalid("customCurrency", "customCurrency is required")
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
		return problem.Invalid("refundVariant", "%s", err)
	case errors.Is(err, refund.ErrPercent):
		return problem.Invalid("subtractPercentage", "%s", err)
	case errors.Is(err, refund.ErrCurrency):
		return problem.Invalid(currencyField, "%s", err)
	default:
		return problem.Invalid(amountField, "%s", err)
	}
}

// make creates a refund and returns it with its link. If the money does not suffice, the error
// names field.
func (h *Handler) make(ctx context.Context, caller auth.Key, ask refundlinks.Ask, field string) (*answer.Out[pullPayment], error) {
	if inSandbox(caller) {
		return nil, problem.Invalid("", "the sandbox has no refunds")
	}
	made, err := h.Links.Create(ctx, caller, ask)
	if refused := answer.RefusalOf(err); refused != nil && refused.Status == http.StatusBadRequest {
		err = problem.Invalid(field, "%s", refused.Text)
	}
	if err != nil {
		return nil, err
	}
	return answer.With(viewOf(made), nil)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func currency(s *string) money.Currency { return money.Currency(strings.ToUpper(*s)) }
