package payout

import (
	"time"

	"github.com/durapay/durapay/internal/money"
)

// VolumeDays and VolumePeriod are how far back a merchant's volume counts.
const (
	VolumeDays   = 30
	VolumePeriod = VolumeDays * 24 * time.Hour
)

// MaxFeeTiers is the maximum number of volume tiers.
const MaxFeeTiers = 50

// Tier is a fee rate for merchants whose volume reaches From.
type Tier struct {
	From money.Piconero
	// Rate is a share: 0.005 is half a percent.
	Rate money.Decimal
}

// IsRate reports whether a fee rate is a share from 0 to less than 1, with at
// most 6 decimals.
func IsRate(rate money.Decimal) bool {
	const decimals = 6
	return rate.Sign() >= 0 && rate.Cmp(money.DecimalFromInt(1)) < 0 && rate.Decimals() <= decimals
}

// RateOf returns the fee rate in force for a merchant: the merchant's own rate,
// else that of the highest tier that the volume reaches, else the standard
// rate.
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
