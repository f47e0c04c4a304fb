package payout

import (
	"errors"

	"github.com/durapay/durapay/internal/money"
)

// SwapTolerancePercent is by how much the transaction of a payout may pay more
// or less than its swap was ordered for. The chain's fee comes out of what is
// paid, and is known only once the transaction is built. That is after the
// order. The fee then differs by the bytes of a ring, or by a level of the
// fee.
const SwapTolerancePercent = 1

// orderDecimals is the precision of an ordered amount. Some providers know no
// more decimals, and would take the order for another one.
const orderDecimals = 8

// ErrOutsideSwap says that a transaction pays too much more or less than its
// swap was ordered for.
var ErrOutsideSwap = errors.New("the payout does not pay what its swap was ordered for")

// OrderAmount is what a swap is ordered for when a payout would pay net.
func OrderAmount(net money.Piconero) money.Decimal { return net.Decimal().Floor(orderDecimals) }

// SwapBand is the least and the most that a transaction may pay to a swap that
// was ordered for an amount.
func SwapBand(ordered money.Decimal) (least, most money.Decimal) {
	slack := ordered.Mul(money.DecimalFromInt(SwapTolerancePercent)).Mul(money.MustDecimal("0.01"))
	return ordered.Sub(slack), ordered.Add(slack)
}

// FitsSwap returns ErrOutsideSwap for a transaction that pays an amount outside
// of the band of what was ordered.
func FitsSwap(ordered money.Decimal, amount money.Piconero) error {
	least, most := SwapBand(ordered)
	if amount.Decimal().Cmp(least) < 0 || amount.Decimal().Cmp(most) > 0 {
		return ErrOutsideSwap
	}
	return nil
}
