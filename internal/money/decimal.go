package money

import (
	"bytes"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/shopspring/decimal"
)

// maxLiteral bounds the text of a number, so that a long or an exponential
// literal cannot make the decimal library allocate without limit.
const maxLiteral = 64

// number is the grammar of JSON's numbers, with an exponent of at most three digits.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// Decimal is an exact decimal number: a fiat amount, a rate or a percentage.
// The zero value is 0. Its JSON form is a plain number without exponent and
// without trailing zeros.
type Decimal struct{ d decimal.Decimal }

// ParseDecimal reads a decimal number. It accepts an exponent (JSON allows 1e2)
// if the value stays within 64 digits on either side of the point.
func ParseDecimal(s string) (Decimal, error) {
	if len(s) > maxLiteral || !number.MatchString(s) {
		return Decimal{}, ErrSyntax
	}
	d, err := decimal.NewFromString(s)
	if err != nil {
		return Decimal{}, ErrSyntax
	}
	if d.Exponent() > maxLiteral || d.Exponent() < -maxLiteral {
		return Decimal{}, ErrRange
	}
	return Decimal{d}, nil
}

// MustDecimal is ParseDecimal for constants; it panics on bad text.
func MustDecimal(s string) Decimal {
	d, err := ParseDecimal(s)
	if err != nil {
		panic(fmt.Sprintf("money: %q: %v", s, err))
	}
	return d
}

// DecimalFromInt returns n as a decimal.
func DecimalFromInt(n int64) Decimal { return Decimal{decimal.NewFromInt(n)} }

// NewDecimal returns n units of 10^-decimals.
func NewDecimal(n int64, decimals int32) Decimal { return Decimal{decimal.New(n, -decimals)} }

// Decimals returns the number of decimals that the value needs (0.10 needs 1).
func (d Decimal) Decimals() int32 {
	text := d.String()
	if _, frac, ok := strings.Cut(text, "."); ok {
		return int32(len(frac))
	}
	return 0
}

// String returns the value without exponent and without trailing zeros.
func (d Decimal) String() string { return d.d.String() }

// Fixed returns the value with exactly n decimals, rounded half away from zero.
func (d Decimal) Fixed(n int32) string { return d.d.StringFixed(n) }

// Round rounds half away from zero to n decimals.
func (d Decimal) Round(n int32) Decimal { return Decimal{d.d.Round(n)} }

// Add returns d + o.
func (d Decimal) Add(o Decimal) Decimal { return Decimal{d.d.Add(o.d)} }

// Sub returns d − o.
func (d Decimal) Sub(o Decimal) Decimal { return Decimal{d.d.Sub(o.d)} }

// Mul returns d × o.
func (d Decimal) Mul(o Decimal) Decimal { return Decimal{d.d.Mul(o.d)} }

// Div returns d ÷ o rounded to n decimals, and ErrRange if o is zero.
func (d Decimal) Div(o Decimal, n int32) (Decimal, error) {
	if o.d.IsZero() {
		return Decimal{}, ErrRange
	}
	return Decimal{d.d.DivRound(o.d, n)}, nil
}

// Floor rounds down to n decimals.
func (d Decimal) Floor(n int32) Decimal { return Decimal{d.d.RoundFloor(n)} }

// Ceil rounds up to n decimals.
func (d Decimal) Ceil(n int32) Decimal { return Decimal{d.d.RoundCeil(n)} }

// DivFloor returns d ÷ o rounded down to n decimals, and ErrRange if o is not
// positive.
func (d Decimal) DivFloor(o Decimal, n int32) (Decimal, error) {
	if o.Sign() <= 0 {
		return Decimal{}, ErrRange
	}
	quotient, rest := d.d.QuoRem(o.d, n)
	if rest.Sign() < 0 {
		quotient = quotient.Sub(decimal.New(1, -n))
	}
	return Decimal{quotient}, nil
}

// Abs returns |d|.
func (d Decimal) Abs() Decimal { return Decimal{d.d.Abs()} }

// Cmp returns −1, 0 or +1 as d is less than, equal to or greater than o.
func (d Decimal) Cmp(o Decimal) int { return d.d.Cmp(o.d) }

// Sign returns −1, 0 or +1.
func (d Decimal) Sign() int { return d.d.Sign() }

// MarshalJSON writes a plain JSON number.
func (d Decimal) MarshalJSON() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalJSON reads a JSON number. It refuses strings.
func (d *Decimal) UnmarshalJSON(b []byte) error {
	v, err := ParseDecimal(string(bytes.TrimSpace(b)))
	if err != nil {
		return err
	}
	*d = v
	return nil
}

// Value stores the decimal as text for a numeric column.
func (d Decimal) Value() (driver.Value, error) { return d.String(), nil }

// Scan reads a numeric column.
func (d *Decimal) Scan(src any) error {
	text, err := scanText(src)
	if err != nil {
		return err
	}
	return d.d.Scan(text)
}

func scanText(src any) (string, error) {
	switch v := src.(type) {
	case string:
		return v, nil
	case []byte:
		return string(v), nil
	case int64:
		return fmt.Sprint(v), nil
	default:
		return "", fmt.Errorf("money: cannot scan %T", src)
	}
}

// ScaleInt returns d × n rounded down to a whole number. It is for durations
// and counts: the caller must know that the result fits into an int64.
func (d Decimal) ScaleInt(n int64) int64 {
	return d.d.Mul(decimal.NewFromInt(n)).Floor().IntPart()
}

// ToAtomic returns d in units of 10^-decimals, exactly. It returns ErrDecimals
// if d has more decimals, and ErrRange if d is negative or does not fit into a
// uint64.
func (d Decimal) ToAtomic(decimals int32) (uint64, error) {
	shifted := d.d.Shift(decimals)
	if !shifted.IsInteger() {
		return 0, ErrDecimals
	}
	n := shifted.BigInt()
	if !n.IsUint64() {
		return 0, ErrRange
	}
	return n.Uint64(), nil
}

// FromAtomic returns n units of 10^-decimals as a decimal.
func FromAtomic(n uint64, decimals int32) Decimal {
	return Decimal{decimal.NewFromUint64(n).Shift(-decimals)}
}

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
