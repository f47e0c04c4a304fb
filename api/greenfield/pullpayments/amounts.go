package pullpayments

import (
	"github.com/durapay/durapay/api/greenfield/exact"
	"github.com/durapay/durapay/api/greenfield/problem"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refund"
)

// isFiat says whether a refund was reckoned in fiat.
func isFiat(r refund.Refunded) bool { return r.FiatAmount != nil && r.FiatCurrency != nil }

// original is a part of a refund in the currency that the refund was reckoned in. Of
// fiat it is rounded to what that is shown in.
func original(r refund.Refunded, part money.Piconero) (money.Currency, exact.Amount) {
	if !isFiat(r) {
		return money.XMR, exact.XMR(part)
	}
	fiat, err := r.FiatAmount.Mul(part.Decimal()).Div(r.AmountXMR.Decimal(), r.FiatCurrency.Decimals())
	if err != nil { // no refund is of nothing
		return money.XMR, exact.XMR(part)
	}
	return *r.FiatCurrency, exact.Amount{Decimal: fiat}
}

// asked is an amount in the currency that a refund was reckoned in, in piconero: 0 for
// none, which stands for all that is left. A part in fiat is rounded up, so that parts
// that add up to the whole leave nothing over; the last of them takes what is left.
func asked(r refund.Refunded, amount *exact.Amount) (money.Piconero, error) {
	if amount == nil {
		return 0, nil
	}
	currency, _ := original(r, r.AmountXMR)
	if amount.Sign() <= 0 || amount.Decimals() > currency.Decimals() {
		return 0, problem.Invalid("amount", "amount must be more than 0, in %s, with at most %d decimals", currency, currency.Decimals())
	}
	if !isFiat(r) {
		part, err := money.PiconeroFromXMR(amount.Decimal)
		if err != nil {
			return 0, problem.Invalid("amount", "%s", refund.ErrTooMuch)
		}
		return part, nil
	}
	part, err := money.FromFiat(amount.Mul(r.AmountXMR.Decimal()), *r.FiatAmount)
	if err != nil {
		return 0, problem.Invalid("amount", "%s", refund.ErrTooMuch)
	}
	if part > r.LeftXMR && part-r.LeftXMR <= refund.MaxClaims && r.LeftXMR > 0 {
		part = r.LeftXMR
	}
	return part, nil
}
