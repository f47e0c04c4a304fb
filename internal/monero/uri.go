package monero

import "github.com/durapay/durapay/internal/money"

// PaymentURI is the URI that wallets open or scan to pay amount to address.
// The address is taken as it is.
func PaymentURI(address string, amount money.Piconero) string {
	return "monero:" + address + "?tx_amount=" + amount.String()
}
