package swapquote

import (
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/provider"
)

// Life is how long an offer can be accepted, unless its provider sets an
// earlier end.
const Life = 5 * time.Minute

// Offer is a provider's output for an amount. Amounts are in whole coins.
type Offer struct {
	// ID is random, so two offers differ even if all other fields are the same.
	ID string `json:"id"`
	// Provider is the configured name of the provider.
	Provider string    `json:"provider"`
	From     coin.Coin `json:"from"`
	To       coin.Coin `json:"to"`
	// Amount is the amount to send. AmountTo is the amount that arrives after fees,
	// rounded down to the decimals of its coin.
	Amount   money.Decimal `json:"amount"`
	AmountTo money.Decimal `json:"amount_to"`
	// Rate is AmountTo per Amount, rounded to 18 decimals.
	Rate money.Decimal `json:"rate"`
	// Min and Max bound Amount; nil if the provider does not report them.
	Min *money.Decimal `json:"min,omitempty"`
	Max *money.Decimal `json:"max,omitempty"`
	// ETA is the expected time from deposit to payout; 0 when unknown.
	ETA time.Duration `json:"eta,omitempty"`
	// Route and Reference are values that the provider needs in an order.
	Route     string    `json:"route,omitempty"`
	Reference string    `json:"reference,omitempty"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Request returns the request that the offer answers.
func (o Offer) Request() provider.Request {
	return provider.Request{From: o.From, To: o.To, Amount: o.Amount}
}
