package utxo

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// decimals is the number of decimals of one coin in satoshi.
const decimals = 8

// OneCoin is one whole coin.
const OneCoin Amount = 1_0000_0000

// ErrAmount means that a text is not an amount of a coin with 8 decimals.
var ErrAmount = errors.New("not an amount with 8 decimals")

// Amount is an amount of coins in satoshi, 1e-8 of a coin. Amounts that a
// wallet sent are negative. Its JSON form is a number in whole coins.
type Amount int64

// ParseAmount reads a number of whole coins exactly: digits with an optional
// sign and at most 8 decimals.
func ParseAmount(text string) (Amount, error) {
	unsigned, negative := strings.CutPrefix(text, "-")
	whole, fraction, _ := strings.Cut(unsigned, ".")
	if whole == "" || len(fraction) > decimals || strings.ContainsFunc(whole+fraction, notDigit) {
		return 0, fmt.Errorf("%w: %.40q", ErrAmount, text)
	}
	units, err := strconv.ParseUint(whole+fraction+strings.Repeat("0", decimals-len(fraction)), 10, 64)
	if err != nil || units > math.MaxInt64 {
		return 0, fmt.Errorf("%w: %.40q", ErrAmount, text)
	}
	if negative {
		return -Amount(units), nil
	}
	return Amount(units), nil
}

func notDigit(r rune) bool { return r < '0' || r > '9' }

// String returns the amount in whole coins with all 8 decimals.
func (a Amount) String() string {
	sign, units := "", uint64(a)
	if a < 0 {
		sign, units = "-", -units
	}
	return fmt.Sprintf("%s%d.%08d", sign, units/uint64(OneCoin), units%uint64(OneCoin))
}

// MarshalJSON writes a number of whole coins.
func (a Amount) MarshalJSON() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalJSON reads a number of whole coins, without a binary float.
func (a *Amount) UnmarshalJSON(b []byte) error {
	v, err := ParseAmount(string(b))
	if err != nil {
		return err
	}
	*a = v
	return nil
}
