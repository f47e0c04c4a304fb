package payout

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

// VolumeDays and VolumePeriod are how far back a merchant's volume is counted.
const (
	VolumeDays   = 30
	VolumePeriod = VolumeDays * 24 * time.Hour
)

// MaxFeeTiers is how many volume tiers there can be.
const MaxFeeTiers = 50

// Tier is a fee rate for merchants whose volume reaches From.
type Tier struct {
	From money.Piconero
	// Rate is a share: 0.005 is half a percent.
	Rate money.Decimal
}

// IsRate says whether a fee rate is a share from 0 up to, and without, 1, in
// at most 6 decimals.
func IsRate(rate money.Decimal) bool {
	const decimals = 6
	return rate.Sign() >= 0 && rate.Cmp(money.DecimalFromInt(1)) < 0 && rate.Decimals() <= decimals
}

// RateOf is the fee rate in force for a merchant: their own, or that of the
// highest tier that the volume reaches, or the standard one.
func RateOf(own *money.Decimal, tiers []Tier, volume money.Piconero, standard money.Decimal) money.Decimal {
	if own != nil {
		return *own
	}
	rate, reached := standard, money.Piconero(0)
	for _, t := range tiers {
		if t.From <= volume && t.From > reached {
			rate, reached = t.Rate, t.From
		}
	}
	return rate
}
