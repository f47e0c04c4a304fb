package greenfield

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

// Amount is a decimal number that is written as a JSON string, and read from a JSON string or
// number without conversion to a float.
type Amount struct{ money.Decimal }

// MarshalJSON writes the digits as a string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// UnmarshalJSON reads either form. It returns money.ErrSyntax or money.ErrRange for any other
// text.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	return (*money.Loose)(a).UnmarshalJSON(raw)
}

// Schema describes both forms.
func (Amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "decimal", Description: "A decimal number; in requests a JSON number is taken too"}
}

// XMR returns an amount of piconero in XMR.
func XMR(p money.Piconero) Amount { return Amount{money.MustDecimal(p.String())} }

// Seconds is a time in whole seconds since 1970.
type Seconds int64

// At returns a time in whole seconds.
func At(t time.Time) Seconds { return Seconds(t.Unix()) }

// Schema describes a time.
func (Seconds) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: "Seconds since 1970"}
}

// isFiat reports whether a refund was calculated from an amount in fiat.
func isFiat(r refund.Refunded) bool { return r.FiatAmount != nil && r.FiatCurrency != nil }

// original returns a part of a refund in the refund's original currency. An amount in fiat is
// rounded to the decimals of its currency.
func original(r refund.Refunded, part money.Piconero) (money.Currency, Amount) {
	if !isFiat(r) {
		return money.XMR, XMR(part)
	}
	fiat, err := r.FiatAmount.Mul(part.Decimal()).Div(r.AmountXMR.Decimal(), r.FiatCurrency.Decimals())
	if err != nil { // no refund has the amount 0
		return money.XMR, XMR(part)
	}
	return *r.FiatCurrency, Amount{Decimal: fiat}
}

// asked converts an amount in the refund's original currency to piconero. It returns 0 for no
// amount, which means all that is left. A part in fiat is rounded up, so that parts that add
// up to the whole leave no remainder; the last part takes exactly the amount left.
func asked(r refund.Refunded, amount *Amount) (money.Piconero, error) {
	if amount == nil {
		return 0, nil
	}
	currency, _ := original(r, r.AmountXMR)
	if amount.Sign() <= 0 || amount.Decimals() > currency.Decimals() {
		return 0, invalid("amount", "amount must be more than 0, in %s, with at most %d decimals", currency, currency.Decimals())
	}
	if !isFiat(r) {
		part, err := money.PiconeroFromXMR(amount.Decimal)
		if err != nil {
			return 0, invalid("amount", "%s", refund.ErrTooMuch)
		}
		return part, nil
	}
	part, err := money.FromFiat(amount.Mul(r.AmountXMR.Decimal()), *r.FiatAmount)
	if err != nil {
		return 0, invalid("amount", "%s", refund.ErrTooMuch)
	}
	if part > r.LeftXMR && part-r.LeftXMR <= refund.MaxClaims && r.LeftXMR > 0 {
		part = r.LeftXMR
	}
	return part, nil
}
