package swapquote

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
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

// Errors of Open.
var (
	// ErrExpired means that this service made the offer, but it can no longer be
	// accepted.
	ErrExpired = errors.New("the quote has expired")
	// ErrForeign means that a text is not a quote of this service, or was changed.
	ErrForeign = errors.New("not a quote of this service")
)

// MaxToken bounds the text of a quote ID, in bytes.
const MaxToken = 4096

// Seal makes the quote ID of an offer. The text is safe in URLs, and only this
// service can make, read or change it.
func Seal(box *secret.Box, o Offer) (string, error) {
	plain, err := json.Marshal(o) //nolint:musttag,nolintlint // a coin writes itself, as its key
	if err != nil {
		return "", fmt.Errorf("quote: %w", err)
	}
	sealed, err := box.Seal(plain, secret.QuotePlace())
	if err != nil {
		return "", fmt.Errorf("quote: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sealed), nil
}

// Open reads a quote ID. It returns ErrForeign for a text that Seal did not
// make, and ErrExpired from the end of the offer on. A quote is still readable
// after a rotation of the keyset. A quote under a dropped key is foreign.
func Open(box *secret.Box, quoteID string, now time.Time) (Offer, error) {
	if len(quoteID) > MaxToken || strings.ContainsAny(quoteID, "\r\n") { // the decoder would skip them
		return Offer{}, ErrForeign
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(quoteID)
	if err != nil {
		return Offer{}, ErrForeign
	}
	plain, err := box.Unseal(sealed, secret.QuotePlace())
	if err != nil {
		return Offer{}, ErrForeign
	}
	var o Offer
	if json.Unmarshal(plain, &o) != nil { //nolint:musttag,nolintlint // a coin reads itself, if it still is in the register
		return Offer{}, ErrForeign
	}
	if !now.Before(o.ExpiresAt) {
		return Offer{}, ErrExpired
	}
	return o, nil
}
