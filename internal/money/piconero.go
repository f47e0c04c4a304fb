package money

import (
	"bytes"
	"database/sql/driver"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"
)

// PiconeroDecimals is the number of decimals of one XMR in piconero.
const PiconeroDecimals = 12

// Piconero is an amount of Monero in atomic units: 1 XMR is 1e12 piconero.
// The whole range of uint64 is allowed (about 18.4 million XMR).
// Its JSON form is a number in whole XMR without trailing zeros.
type Piconero uint64

// OneXMR is one whole coin.
const OneXMR Piconero = 1_000_000_000_000

// ParseXMR reads a number of whole XMR with at most 12 decimals.
func ParseXMR(s string) (Piconero, error) {
	d, err := ParseDecimal(s)
	if err != nil {
		return 0, err
	}
	return PiconeroFromXMR(d)
}

// PiconeroFromXMR converts a decimal number of whole XMR exactly. It returns
// ErrDecimals for more than 12 decimals and ErrRange outside of uint64.
func PiconeroFromXMR(d Decimal) (Piconero, error) {
	n, err := d.ToAtomic(PiconeroDecimals)
	return Piconero(n), err
}

// Decimal returns the amount in whole XMR.
func (p Piconero) Decimal() Decimal {
	return FromAtomic(uint64(p), PiconeroDecimals)
}

// Atomic returns the number of atomic units as a decimal.
func (p Piconero) Atomic() Decimal { return Decimal{decimal.NewFromUint64(uint64(p))} }

// String returns the amount in whole XMR without trailing zeros.
func (p Piconero) String() string { return string(p.appendTo(nil)) }

// appendTo appends the amount in whole XMR, without trailing zeros.
func (p Piconero) appendTo(b []byte) []byte {
	if b == nil {
		b = make([]byte, 0, maxPiconero)
	}
	b = strconv.AppendUint(b, uint64(p/OneXMR), 10)
	part := uint64(p % OneXMR)
	if part == 0 {
		return b
	}
	b = append(b, '.')
	for unit := uint64(OneXMR) / 10; part != 0; unit /= 10 {
		b = append(b, '0'+byte(part/unit))
		part %= unit
	}
	return b
}

// maxPiconero is the length of the longest amount: 8 digits, the point and 12 more.
const maxPiconero = 21

// Add returns p + o, and ErrRange on overflow.
func (p Piconero) Add(o Piconero) (Piconero, error) {
	sum, carry := bits.Add64(uint64(p), uint64(o), 0)
	if carry != 0 {
		return 0, ErrRange
	}
	return Piconero(sum), nil
}

// Sub returns p − o, and ErrRange if o is larger.
func (p Piconero) Sub(o Piconero) (Piconero, error) {
	if o > p {
		return 0, ErrRange
	}
	return p - o, nil
}

// SubFloor returns p − o, or 0 if o is larger.
func (p Piconero) SubFloor(o Piconero) Piconero {
	if o > p {
		return 0
	}
	return p - o
}

// Sum returns the sum of the amounts, and ErrRange on overflow.
func Sum(amounts ...Piconero) (Piconero, error) {
	var total Piconero
	for _, a := range amounts {
		var err error
		if total, err = total.Add(a); err != nil {
			return 0, err
		}
	}
	return total, nil
}

// Percent returns pct percent (0 to 100) of p, rounded down to a whole piconero.
// Outside of that range it returns ErrRange.
func (p Piconero) Percent(pct Decimal) (Piconero, error) {
	if pct.Sign() < 0 || pct.Cmp(DecimalFromInt(100)) > 0 {
		return 0, ErrRange
	}
	share := decimal.NewFromUint64(uint64(p)).Mul(pct.d).Shift(-2).Floor()
	return Piconero(share.BigInt().Uint64()), nil
}

// FromFiat converts a fiat amount to piconero at rate (fiat per XMR). It rounds up
// to a whole piconero, so a payment is never worth less than the amount.
func FromFiat(amount, rate Decimal) (Piconero, error) {
	if rate.Sign() <= 0 || amount.Sign() < 0 {
		return 0, ErrRange
	}
	q, r := amount.d.Shift(PiconeroDecimals).QuoRem(rate.d, 0)
	if r.Sign() > 0 {
		q = q.Add(decimal.NewFromInt(1))
	}
	n := q.BigInt()
	if !n.IsUint64() {
		return 0, ErrRange
	}
	return Piconero(n.Uint64()), nil
}

// MarshalJSON writes whole XMR as a plain JSON number.
func (p Piconero) MarshalJSON() ([]byte, error) { return p.appendTo(nil), nil }

// UnmarshalJSON reads whole XMR as a JSON number.
func (p *Piconero) UnmarshalJSON(b []byte) error {
	v, err := ParseXMR(string(bytes.TrimSpace(b)))
	if err != nil {
		return err
	}
	*p = v
	return nil
}

// Value stores atomic units for a numeric(20,0) column.
func (p Piconero) Value() (driver.Value, error) { return strconv.FormatUint(uint64(p), 10), nil }

// Scan reads atomic units from a numeric(20,0) column.
func (p *Piconero) Scan(src any) error {
	text, err := scanText(src)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return fmt.Errorf("money: piconero %q: %w", text, ErrRange)
	}
	*p = Piconero(n)
	return nil
}
