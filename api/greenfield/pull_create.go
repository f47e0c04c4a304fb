package greenfield

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

type newPullPayment struct {
	Name              *string  `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer"`
	Description       *string  `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	Amount            *Amount  `json:"amount" required:"true" doc:"What is given back, in currency; fixed in XMR now"`
	Currency          *string  `json:"currency" required:"true" doc:"USD, EUR or XMR"`
	Period            *int64   `json:"period,omitempty" nullable:"true" doc:"Only null: it is claimed once"`
	AutoApproveClaims *bool    `json:"autoApproveClaims,omitempty" nullable:"true" doc:"Only false: no charge says what was received"`
	StartsAt          *Seconds `json:"startsAt,omitempty" nullable:"true" doc:"Not later than now"`
	ExpiresAt         *Seconds `json:"expiresAt,omitempty" nullable:"true" doc:"Until when it can be claimed, within a year. Default: 30 days"`
	PaymentMethods    []string `json:"paymentMethods,omitempty" nullable:"true" doc:"XMR-CHAIN; none stands for all"`
	PayoutMethods     []string `json:"payoutMethods,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
}

type newRefund struct {
	Name               *string         `json:"name,omitempty" nullable:"true" maxLength:"50" doc:"Shown to the buyer. Default: Refund and the invoice"`
	Description        *string         `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Shown to the buyer"`
	PaymentMethod      *string         `json:"paymentMethod,omitempty" nullable:"true" doc:"XMR-CHAIN"`
	PayoutMethodID     *string         `json:"payoutMethodId,omitempty" nullable:"true" doc:"The same in BTCPay 2.x"`
	RefundVariant      *refund.Variant `json:"refundVariant" required:"true" enum:"RateThen,CurrentRate,OverpaidAmount,Fiat,Custom" doc:"RateThen: what was received, in XMR. CurrentRate: what that was worth in the invoice's currency, at the rate of now. OverpaidAmount: what came beyond the amount. Fiat: as CurrentRate. Custom: customAmount and customCurrency"`
	SubtractPercentage *Amount         `json:"subtractPercentage,omitempty" nullable:"true" doc:"Percentage that is kept: 0 to, and without, 100"`
	CustomAmount       *Amount         `json:"customAmount,omitempty" nullable:"true" doc:"For Custom alone"`
	CustomCurrency     *string         `json:"customCurrency,omitempty" nullable:"true" doc:"Of customAmount: USD, EUR or XMR"`
}

func (h *PullPayments) create(ctx context.Context, caller access.Key, in *struct {
	StorePath
	Body httpapi.Body[newPullPayment]
},
) (*httpapi.Out[pullPayment], error) {
	f := in.Body.Value()
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
		return a, invalid("amount", "amount is required")
	case f.Currency == nil:
		return a, invalid("currency", "currency is required")
	case f.Period != nil:
		return a, invalid("period", "period must be null: a pull payment is claimed once")
	case f.AutoApproveClaims != nil && *f.AutoApproveClaims:
		return a, invalid("autoApproveClaims", "autoApproveClaims must be false: the merchant approves claims")
	case f.StartsAt != nil && int64(*f.StartsAt) > now.Unix():
		return a, invalid("startsAt", "startsAt must not be later than now")
	}
	for field, names := range map[string][]string{"paymentMethods": f.PaymentMethods, "payoutMethods": f.PayoutMethods} {
		if len(names) > 0 && !slices.ContainsFunc(names, invoice.IsMethodXMR) {
			return a, invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.ExpiresAt != nil {
		remaining := int64(*f.ExpiresAt) - now.Unix()
		if remaining <= 0 || remaining > int64(refund.MaxLife/time.Second) {
			return a, invalid("expiresAt", "expiresAt must be within a year from now")
		}
		at := time.Unix(int64(*f.ExpiresAt), 0)
		a.ExpiresAt = &at
	}
	a.Refund = refund.Ask{Variant: refund.Custom, Amount: f.Amount.Decimal, Currency: currency(f.Currency)}
	return a, wrong(a.Refund, "amount", "currency")
}

func (h *PullPayments) refund(ctx context.Context, caller access.Key, in *struct {
	InStore
	Body httpapi.Body[newRefund]
},
) (*httpapi.Out[pullPayment], error) {
	f := in.Body.Value()
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
			return a, invalid(field, "the only payment method is %s", invoice.MethodXMR)
		}
	}
	if f.RefundVariant == nil {
		return a, invalid("refundVariant", "refundVariant is required")
	}
	a.Refund.Variant, a.Refund.Currency = *f.RefundVariant, money.XMR
	if f.SubtractPercentage != nil {
		a.Refund.SubtractPercent = f.SubtractPercentage.Decimal
	}
	if a.Refund.Variant == refund.Custom {
		if f.CustomAmount == nil {
			return a, invalid("customAmount", "customAmount is required")
		}
		if f.CustomCurrency == nil {
			return a, invalid("customCurrency", "customCurrency is required")
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
		return invalid("refundVariant", "%s", err)
	case errors.Is(err, refund.ErrPercent):
		return invalid("subtractPercentage", "%s", err)
	case errors.Is(err, refund.ErrCurrency):
		return invalid(currencyField, "%s", err)
	default:
		return invalid(amountField, "%s", err)
	}
}

// make creates a refund and returns it with its link. If the money does not suffice, the error
// names field.
func (h *PullPayments) make(ctx context.Context, caller access.Key, ask service.NewRefund, field string) (*httpapi.Out[pullPayment], error) {
	if inSandbox(caller) {
		return nil, invalid("", "the sandbox has no refunds")
	}
	made, err := h.Links.Create(ctx, caller, ask)
	if refused := httpapi.RefusalOf(err); refused != nil && refused.Status == http.StatusBadRequest {
		err = invalid(field, "%s", refused.Text)
	}
	if err != nil {
		return nil, err
	}
	return httpapi.With(pullOf(made), nil)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func currency(s *string) money.Currency { return money.Currency(strings.ToUpper(*s)) }
