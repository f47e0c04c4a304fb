package refund

import (
	"errors"
	"slices"

	"github.com/durapay/durapay/internal/money"
)

// Variant is how the amount of a refund is found.
type Variant string

// The variants. All are worth an amount of XMR that is fixed when the refund is
// made, so that it can be held.
const (
	// RateThen is what was received, in XMR.
	RateThen Variant = "RateThen"
	// CurrentRate is what it was worth in the charge's currency, at the rate of now.
	CurrentRate Variant = "CurrentRate"
	// OverpaidAmount is what was received beyond what was asked for, less what other
	// refunds hold.
	OverpaidAmount Variant = "OverpaidAmount"
	// Fiat is CurrentRate, and shown to the buyer in the charge's currency.
	Fiat Variant = "Fiat"
	// Custom is an amount that the merchant names.
	Custom Variant = "Custom"
)

// Variants are all of them.
func Variants() []Variant { return []Variant{RateThen, CurrentRate, OverpaidAmount, Fiat, Custom} }

// Charge is what the amount of a refund depends on.
type Charge struct {
	// Received is what was received for it and can be spent, Asked what it asked for.
	Received, Asked money.Piconero
	// Held is what other refunds of it hold of that.
	Held     money.Piconero
	Currency money.Currency
	// RateThen is the price at which it was made, in Currency for one XMR; nil for XMR.
	RateThen *money.Decimal
}

// Ask is what a merchant asks for.
type Ask struct {
	Variant Variant
	// SubtractPercent is kept: 0 to, and without, 100.
	SubtractPercent money.Decimal
	// Amount and Currency are for Custom alone.
	Amount   money.Decimal
	Currency money.Currency
}

// Worth is an amount in XMR, and in the currency that it was reckoned in; Fiat is
// nil for XMR.
type Worth struct {
	Amount   money.Piconero
	Fiat     *money.Decimal
	Currency money.Currency
}

// Why there is no amount. The texts are shown to merchants.
var (
	ErrVariant     = errors.New("the variant is not known")
	ErrPercent     = errors.New("the percentage must be from 0 to less than 100")
	ErrAmount      = errors.New("the amount must be more than 0, in at most 2 decimals, or 12 for XMR")
	ErrCurrency    = errors.New("the currency must be USD, EUR or XMR")
	ErrNotOverpaid = errors.New("the charge was not paid more than it asked for and its other refunds hold")
	ErrNoAmount    = errors.New("nothing is left of the amount")
	ErrNoRate      = errors.New("no exchange rate is available")
	// ErrTooMuchForCharge says that it is more than the charge received, less what its
	// other refunds hold.
	ErrTooMuchForCharge = errors.New("the refund is more than what was received for the charge, less its other refunds")
	// ErrTooMuchForBalance says that it is more than the merchant's unpaid balance, less
	// what other refunds hold of that.
	ErrTooMuchForBalance = errors.New("the refund is more than the unpaid balance, less what other refunds hold of it")
)

// fiatDecimals is how exactly an amount in fiat is shown.
const fiatDecimals = 2

// Check says what is wrong with what is asked for, whatever the charge.
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

// NeedsRate is the currency of which the rate of now is needed for an amount; empty
// when none is.
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

// Amount is what a refund is worth. now is the price of one XMR in the currency
// that NeedsRate names, nil where it names none. Every step rounds down.
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

// whole is the amount before anything is kept.
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

// revalued is what was received, at the value that it had then.
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

// less is what is left when a percentage is kept.
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

// Fits refuses an amount that is more than what was received for a charge, less
// what its other refunds hold.
func Fits(amount, received, held money.Piconero) error {
	if amount > received.SubFloor(held) {
		return ErrTooMuchForCharge
	}
	return nil
}

// FitsBalance refuses an amount of a refund of no charge that is more than the
// merchant's unpaid balance, less what other refunds hold of it.
func FitsBalance(amount, unpaid, held money.Piconero) error {
	if amount > unpaid.SubFloor(held) {
		return ErrTooMuchForBalance
	}
	return nil
}
