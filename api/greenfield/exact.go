package greenfield

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
)

// Amount is a decimal number that is written as a JSON string, and read from a JSON string or
// number without conversion to a float.
type Amount struct{ money.Decimal }

// MarshalJSON writes the digits as a string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// UnmarshalJSON reads either form. It returns money.ErrSyntax or money.ErrRange for any other
// text.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	return (*money.Loose)(a).UnmarshalJSON(raw)
}

// Schema describes both forms.
func (Amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "decimal", Description: "A decimal number; in requests a JSON number is taken too"}
}

// XMR returns an amount of piconero in XMR.
func XMR(p money.Piconero) Amount { return Amount{money.MustDecimal(p.String())} }

// Seconds is a time in whole seconds since 1970.
type Seconds int64

// At returns a time in whole seconds.
func At(t time.Time) Seconds { return Seconds(t.Unix()) }

// Schema describes a time.
func (Seconds) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: "Seconds since 1970"}
}
