package payout

import (
	"errors"

	"github.com/durapay/durapay/internal/money"
)

// SwapTolerancePercent is by how many percent the transaction of a payout may
// pay more or less than its swap was ordered for. The chain's fee is taken from
// the amount and is known only once the transaction is built, which is after
// the order. The fee then differs by the bytes of a ring, or by a fee level.
const SwapTolerancePercent = 1

// orderDecimals is the number of decimals of an ordered amount. Some providers
// support no more decimals, and would take the order for a different one.
const orderDecimals = 8

// ErrOutsideSwap is returned when the amount that a transaction pays differs
// too much from the amount that its swap was ordered for.
var ErrOutsideSwap = errors.New("the payout does not pay what its swap was ordered for")

// OrderAmount returns the amount to order a swap for when a payout would pay
// net.
func OrderAmount(net money.Piconero) money.Decimal { return net.Decimal().Floor(orderDecimals) }

// SwapBand returns the smallest and the largest amount that a transaction may
// pay to a swap that was ordered for an amount.
func SwapBand(ordered money.Decimal) (least, most money.Decimal) {
	slack := ordered.Mul(money.DecimalFromInt(SwapTolerancePercent)).Mul(money.MustDecimal("0.01"))
	return ordered.Sub(slack), ordered.Add(slack)
}

// FitsSwap returns ErrOutsideSwap if a transaction pays an amount outside the
// band of the ordered amount.
func FitsSwap(ordered money.Decimal, amount money.Piconero) error {
	least, most := SwapBand(ordered)
	if amount.Decimal().Cmp(least) < 0 || amount.Decimal().Cmp(most) > 0 {
		return ErrOutsideSwap
	}
	return nil
}
