package swapquote

import (
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Life is for how long an offer can be taken, unless its provider says less.
const Life = 5 * time.Minute

// Offer is what one provider pays for an amount. Amounts are in whole coins.
type Offer struct {
	// ID is random: two offers are never the same, even if all else is.
	ID string `json:"id"`
	// Provider is the configured name of who makes the offer.
	Provider string    `json:"provider"`
	From     coin.Coin `json:"from"`
	To       coin.Coin `json:"to"`
	// Amount is what is to be sent, AmountTo what arrives, fees taken off,
	// rounded down to the decimals of its coin.
	Amount   money.Decimal `json:"amount"`
	AmountTo money.Decimal `json:"amount_to"`
	// Rate is AmountTo per Amount, rounded to 18 decimals.
	Rate money.Decimal `json:"rate"`
	// Min and Max bound Amount; nil when the provider does not tell.
	Min *money.Decimal `json:"min,omitempty"`
	Max *money.Decimal `json:"max,omitempty"`
	// ETA is the expected time from deposit to payout; 0 when unknown.
	ETA time.Duration `json:"eta,omitempty"`
	// Route and Reference are what the provider wants to hear in an order.
	Route     string    `json:"route,omitempty"`
	Reference string    `json:"reference,omitempty"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Request is the question that the offer answers.
func (o Offer) Request() provider.Request {
	return provider.Request{From: o.From, To: o.To, Amount: o.Amount}
}
