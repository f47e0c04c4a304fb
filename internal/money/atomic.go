package money

import (
	"math/big"

	"github.com/shopspring/decimal"
)

// FromAtomic is an amount in the natural unit of a coin with this many
// decimals.
func FromAtomic(atomic uint64, decimals int32) Decimal {
	return Decimal{decimal.NewFromBigInt(new(big.Int).SetUint64(atomic), -decimals)}
}

// Atomic is the amount in units of 10^-decimals; ErrRange when it is negative,
// is no whole number of them, or is more than a uint64 holds.
func (d Decimal) Atomic(decimals int32) (uint64, error) {
	shifted := d.d.Shift(decimals)
	whole := shifted.BigInt()
	if shifted.Sign() < 0 || !shifted.IsInteger() || !whole.IsUint64() {
		return 0, ErrRange
	}
	return whole.Uint64(), nil
}
