package money

import "strings"

// Loose is a decimal that others write in their JSON, as a number or in
// quotes. It is read digit for digit.
type Loose struct{ Decimal }

// UnmarshalJSON refuses null, nested values and everything but plain decimals.
func (n *Loose) UnmarshalJSON(b []byte) error {
	text := string(b)
	if inner, ok := strings.CutPrefix(text, `"`); ok {
		text = strings.TrimSuffix(inner, `"`)
	}
	d, err := ParseDecimal(text)
	if err != nil {
		return err
	}
	n.Decimal = d
	return nil
}
