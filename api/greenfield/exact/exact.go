package exact

import (
	"encoding/json"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/money"
)

// Amount is a decimal number that is written as a JSON string, and read from a
// JSON string or number without a float between.
type Amount struct{ money.Decimal }

// MarshalJSON writes the digits as a string.
func (a Amount) MarshalJSON() ([]byte, error) { return json.Marshal(a.String()) }

// UnmarshalJSON reads either form; money.ErrSyntax or money.ErrRange for anything
// else.
func (a *Amount) UnmarshalJSON(raw []byte) error {
	return (*money.Loose)(a).UnmarshalJSON(raw)
}

// Schema describes both forms.
func (Amount) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "decimal", Description: "A decimal number; in requests a JSON number is taken too"}
}

// XMR is an amount of piconero, in XMR.
func XMR(p money.Piconero) Amount { return Amount{money.MustDecimal(p.String())} }

// Seconds is a moment in whole seconds since 1970.
type Seconds int64

// At is a moment in whole seconds.
func At(t time.Time) Seconds { return Seconds(t.Unix()) }

// Schema describes a moment.
func (Seconds) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Format: "int64", Description: "Seconds since 1970"}
}
