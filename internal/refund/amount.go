package refund

import (
	"errors"
	"slices"

	"github.com/durapay/durapay/internal/money"
)

// Variant is the way in which a refund's amount is computed.
type Variant string

// The variants. Each yields an amount of XMR that is fixed when the refund is
// created, so that the amount can be held.
const (
	// RateThen is the XMR amount that was received.
	RateThen Variant = "RateThen"
	// CurrentRate is the value of the received XMR in the charge's currency at that
	// time, converted at the current rate.
	CurrentRate Variant = "CurrentRate"
	// OverpaidAmount is the amount received above the amount of the charge, less what
	// other refunds hold.
	OverpaidAmount Variant = "OverpaidAmount"
	// Fiat is CurrentRate, shown to the buyer in the charge's currency.
	Fiat Variant = "Fiat"
	// Custom is an amount that the merchant enters.
	Custom Variant = "Custom"
)

// Variants returns all variants.
func Variants() []Variant { return []Variant{RateThen, CurrentRate, OverpaidAmount, Fiat, Custom} }

// Charge holds the data of a charge that a refund's amount depends on.
type Charge struct {
	// Received is the amount received that can be spent. Asked is the amount of the
	// charge.
	Received, Asked money.Piconero
	// Held is the part of Received that other refunds of the charge hold.
	Held     money.Piconero
	Currency money.Currency
	// RateThen is the price of one XMR in Currency when the charge was created; nil for
	// an XMR charge.
	RateThen *money.Decimal
}

// Ask is a merchant's request for a refund.
type Ask struct {
	Variant Variant
	// SubtractPercent is the percentage that the merchant keeps: from 0 to less than
	// 100.
	SubtractPercent money.Decimal
	// Amount and Currency are used for Custom only.
	Amount   money.Decimal
	Currency money.Currency
}

// Worth is an amount in XMR and in the currency from which it was computed. Fiat is
// nil for XMR.
type Worth struct {
	Amount   money.Piconero
	Fiat     *money.Decimal
	Currency money.Currency
}

// Reasons for which a refund has no amount. Merchants see the texts.
var (
	ErrVariant     = errors.New("variant must be one of: RateThen, CurrentRate, OverpaidAmount, Fiat, Custom")
	ErrPercent     = errors.New("the percentage must be from 0 to less than 100")
	ErrAmount      = errors.New("the amount must be more than 0, in at most 2 decimals, or 12 for XMR")
	ErrCurrency    = errors.New("the currency must be USD, EUR or XMR")
	ErrNotOverpaid = errors.New("the charge was not paid more than it asked for and its other refunds hold")
	ErrNoAmount    = errors.New("nothing is left of the amount")
	ErrNoRate      = errors.New("no exchange rate is available")
	// ErrTooMuchForCharge is returned when the refund exceeds the amount received for
	// the charge, less what its other refunds hold.
	ErrTooMuchForCharge = errors.New("the refund is more than what was received for the charge, less its other refunds")
	// ErrTooMuchForBalance is returned when the refund exceeds the merchant's unpaid
	// balance, less what other refunds hold of it.
	ErrTooMuchForBalance = errors.New("the refund is more than the unpaid balance, less what other refunds hold of it")
)

// fiatDecimals is the number of decimals that a fiat amount is shown with.
const fiatDecimals = 2

// Check validates the request on its own, without its charge.
func (a Ask) Check() error {
	_, unknown := money.ParseCurrency(string(a.Currency))
	switch {
	case !slices.Contains(Variants(), a.Variant):
		return ErrVariant
	case a.SubtractPercent.Sign() < 0, a.SubtractPercent.Cmp(money.DecimalFromInt(100)) >= 0:
		return ErrPercent
	case a.Variant != Custom:
		return nil
	case unknown != nil:
		return ErrCurrency
	case a.Amount.Sign() <= 0, a.Amount.Decimals() > a.Currency.Decimals():
		return ErrAmount
	default:
		return nil
	}
}

// NeedsRate returns the currency whose current rate the amount depends on, or an
// empty one if it depends on none.
func NeedsRate(a Ask, c Charge) money.Currency {
	currency := c.Currency
	switch a.Variant {
	case Custom:
		currency = a.Currency
	case CurrentRate, Fiat:
	case RateThen, OverpaidAmount:
		return ""
	default:
		return ""
	}
	if currency == money.XMR {
		return ""
	}
	return currency
}

// Amount returns what a refund is worth. now is the price of one XMR in the currency
// that NeedsRate returns, or nil where it returns none. Every step rounds down.
func Amount(a Ask, c Charge, now *money.Decimal) (Worth, error) {
	if err := a.Check(); err != nil {
		return Worth{}, err
	}
	if NeedsRate(a, c) != "" && (now == nil || now.Sign() <= 0) {
		return Worth{}, ErrNoRate
	}
	w, err := whole(a, c, now)
	if err != nil {
		return Worth{}, err
	}
	return w.less(a.SubtractPercent)
}

// whole returns the amount before SubtractPercent.
func whole(a Ask, c Charge, now *money.Decimal) (Worth, error) {
	switch a.Variant {
	case RateThen:
		return Worth{Amount: c.Received, Currency: money.XMR}, nil
	case OverpaidAmount:
		over := c.Received.SubFloor(c.Asked).SubFloor(c.Held)
		if over == 0 {
			return Worth{}, ErrNotOverpaid
		}
		return Worth{Amount: over, Currency: money.XMR}, nil
	case CurrentRate, Fiat:
		return revalued(c, now)
	case Custom:
		return custom(a, now)
	default:
		return Worth{}, ErrVariant
	}
}

// revalued converts the value that the received XMR had then at the price of now.
func revalued(c Charge, now *money.Decimal) (Worth, error) {
	if c.RateThen == nil {
		return Worth{Amount: c.Received, Currency: money.XMR}, nil
	}
	fiat := c.Received.Decimal().Mul(*c.RateThen)
	amount, err := inXMR(fiat, *now)
	return Worth{Amount: amount, Fiat: &fiat, Currency: c.Currency}, err
}

func custom(a Ask, now *money.Decimal) (Worth, error) {
	if a.Currency == money.XMR {
		amount, err := money.PiconeroFromXMR(a.Amount)
		if err != nil {
			return Worth{}, ErrAmount
		}
		return Worth{Amount: amount, Currency: money.XMR}, nil
	}
	amount, err := inXMR(a.Amount, *now)
	return Worth{Amount: amount, Fiat: &a.Amount, Currency: a.Currency}, err
}

// inXMR converts an amount in fiat at a price, rounded down to a piconero.
func inXMR(fiat, price money.Decimal) (money.Piconero, error) {
	amount, err := fiat.DivFloor(price, money.PiconeroDecimals)
	if err != nil {
		return 0, ErrNoRate
	}
	p, err := money.PiconeroFromXMR(amount)
	if err != nil {
		return 0, ErrAmount
	}
	return p, nil
}

// less returns the amount without the percentage that the merchant keeps.
func (w Worth) less(percent money.Decimal) (Worth, error) {
	pays := money.DecimalFromInt(100).Sub(percent)
	amount, err := w.Amount.Percent(pays)
	if err != nil {
		return Worth{}, ErrPercent
	}
	if amount == 0 {
		return Worth{}, ErrNoAmount
	}
	w.Amount = amount
	if w.Fiat != nil {
		fiat := w.Fiat.Mul(pays).Mul(money.MustDecimal("0.01")).Floor(fiatDecimals)
		if w.Fiat = &fiat; fiat.Sign() == 0 {
			w.Fiat = nil
		}
	}
	return w, nil
}

// Fits returns ErrTooMuchForCharge if the amount exceeds the amount received for a
// charge, less what its other refunds hold.
func Fits(amount, received, held money.Piconero) error {
	if amount > received.SubFloor(held) {
		return ErrTooMuchForCharge
	}
	return nil
}

// FitsBalance returns ErrTooMuchForBalance if the amount of a refund without a
// charge exceeds the merchant's unpaid balance, less what other refunds hold of it.
func FitsBalance(amount, unpaid, held money.Piconero) error {
	if amount > unpaid.SubFloor(held) {
		return ErrTooMuchForBalance
	}
	return nil
}
