package money

import (
	"encoding/json"
	"strings"
)

// Loose is a decimal in another service's JSON, either as a number or in
// quotes. It is read digit for digit.
type Loose struct{ Decimal }

// UnmarshalJSON reads a plain decimal. It refuses null, nested values and
// everything else.
func (n *Loose) UnmarshalJSON(b []byte) error {
	text := string(b)
	if strings.HasPrefix(text, `"`) {
		if err := json.Unmarshal(b, &text); err != nil {
			return ErrSyntax
		}
	}
	d, err := ParseDecimal(text)
	if err != nil {
		return err
	}
	n.Decimal = d
	return nil
}
