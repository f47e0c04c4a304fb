package swapquote

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/internal/secret"
)

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
