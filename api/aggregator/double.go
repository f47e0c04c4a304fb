package aggregator

import (
	"strings"

	"github.com/durapay/durapay/internal/money"
)

// double is a number that clients read into a floating-point type: always with a decimal
// point, never with an exponent, with all of its digits.
type double money.Decimal

// MarshalJSON writes 20 as 20.0.
func (d double) MarshalJSON() ([]byte, error) {
	text := money.Decimal(d).String()
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}
