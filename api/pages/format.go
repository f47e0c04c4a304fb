package pages

import (
	"github.com/durapay/durapay/internal/money"
)

// fiat returns an amount with its currency, such as 25.00 USD. Amounts in XMR keep their
// digits.
func fiat(amount money.Decimal, currency money.Currency) string {
	if currency == money.XMR {
		return amount.String() + unitXMR
	}
	return amount.Fixed(2) + "\u00a0" + string(currency)
}

// unitXMR is the unit after a non-breaking space.
const unitXMR = "\u00a0XMR"

// whole returns an amount of Monero with its unit and all of its digits.
func whole(amount money.Piconero) string { return amount.String() + unitXMR }
