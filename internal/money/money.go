// Package money holds amounts exactly. Coins are integers in atomic units
// (Piconero: 1e-12 XMR), fiat amounts and rates are exact decimals, arithmetic
// is checked, and the JSON codecs read and write plain decimal numbers digit
// for digit. It is the only package that knows a decimal library, and no value
// in it ever passes through a binary float.
package money

import "errors"

// Errors that parsing and arithmetic return. Callers test them with errors.Is.
var (
	// ErrSyntax means that the text is not a plain decimal number.
	ErrSyntax = errors.New("not a decimal number")
	// ErrDecimals means that the number has more decimals than its unit.
	ErrDecimals = errors.New("too many decimals")
	// ErrRange means that the number is outside of the range of its unit.
	ErrRange = errors.New("amount out of range")
	// ErrCurrency means that charges cannot use the currency.
	ErrCurrency = errors.New("unknown currency")
)

// Currency is a currency of a charge's amount.
type Currency string

// The currencies of the merchant API.
const (
	USD Currency = "USD"
	EUR Currency = "EUR"
	XMR Currency = "XMR"
)

// ParseCurrency returns the currency with this name, and ErrCurrency if there
// is none.
func ParseCurrency(s string) (Currency, error) {
	switch c := Currency(s); c {
	case USD, EUR, XMR:
		return c, nil
	default:
		return "", ErrCurrency
	}
}

// Decimals returns the number of decimals of the currency: 12 for XMR, 2 for
// fiat.
func (c Currency) Decimals() int32 {
	if c == XMR {
		return PiconeroDecimals
	}
	return 2
}

// MinAmount and MaxAmount bound the amount of a charge, in the natural unit of
// its currency (contract: 0.01 to 10000000 inclusive).
//
//nolint:gochecknoglobals // constants that Go cannot spell as such
var (
	MinAmount = MustDecimal("0.01")
	MaxAmount = DecimalFromInt(10_000_000)
)

// CheckAmount verifies the amount of a charge in a currency. It returns
// ErrRange outside of MinAmount to MaxAmount, and ErrDecimals for more decimals
// than the unit has.
func CheckAmount(amount Decimal, currency Currency) error {
	if amount.Cmp(MinAmount) < 0 || amount.Cmp(MaxAmount) > 0 {
		return ErrRange
	}
	if amount.Decimals() > currency.Decimals() {
		return ErrDecimals
	}
	return nil
}
