// Package payout holds the rules of a sweep: which payments one transaction
// takes, and how their sum is divided between the merchant, the operator's fee
// and the chain's fee. It does no input or output.
//
//	building ──relayed──▶ broadcast ──deep enough──▶ confirmed
//	    │                     │
//	    │                     └──dropped by a reorg and refused for long──▶ failed
//	    └──refused, every key image unspent──▶ failed (its charges are released)
package payout

import (
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// Status is the state of a payout.
type Status string

// The states of a payout.
const (
	Building  Status = "building"
	Broadcast Status = "broadcast"
	Confirmed Status = "confirmed"
	Failed    Status = "failed"
)

// Confirmations is how many blocks deep a payout must be to count as confirmed.
const Confirmations = 10

// Candidate is a payment that could be swept.
type Candidate struct {
	PaymentID int64
	ChargeID  string
	Amount    money.Piconero
	// Outputs is the number of inputs that are needed to spend the payment.
	Outputs int32
}

// Selection is the set of payments that one transaction takes.
type Selection struct {
	PaymentIDs []int64
	Gross      money.Piconero
	Outputs    int32
	Charges    int32
}

// MaxInputs returns how many inputs one transaction can spend.
func MaxInputs() int32 { return int32(coin.MoneroNow().Inputs) }

// Select takes payments in the given order while they fit into one transaction.
// A payment that does not fit waits for the next sweep.
func Select(candidates []Candidate) (Selection, error) {
	var s Selection
	charges := map[string]bool{}
	for _, c := range candidates {
		if s.Outputs+c.Outputs > MaxInputs() {
			continue
		}
		gross, err := s.Gross.Add(c.Amount)
		if err != nil {
			return Selection{}, fmt.Errorf("sum of a sweep: %w", err)
		}
		s.Gross = gross
		s.Outputs += c.Outputs
		s.PaymentIDs = append(s.PaymentIDs, c.PaymentID)
		charges[c.ChargeID] = true
	}
	s.Charges = int32(len(charges))
	return s, nil
}

// ErrTooSmall is returned when fees would consume the whole sum.
var ErrTooSmall = errors.New("the unpaid amount does not cover the fees")

// Fee returns the operator's share of the gross sum, rounded down to a
// piconero. rate is a share: 0.005 is half a percent.
func Fee(gross money.Piconero, rate money.Decimal) (money.Piconero, error) {
	return gross.Percent(rate.Mul(money.DecimalFromInt(100)))
}

// Net returns what remains of the gross sum after both fees; ErrTooSmall when
// nothing remains.
func Net(gross, fee, networkFee money.Piconero) (money.Piconero, error) {
	rest, err := gross.Sub(fee)
	if err != nil {
		return 0, ErrTooSmall
	}
	if rest, err = rest.Sub(networkFee); err != nil || rest == 0 {
		return 0, ErrTooSmall
	}
	return rest, nil
}

// MaskAddress returns the first six and the last six characters of an address.
func MaskAddress(address string) string {
	const shown = 6
	if len(address) <= 2*shown {
		return "…"
	}
	return address[:shown] + "…" + address[len(address)-shown:]
}

// HeldUntil returns the moment until which sweeps wait, or nil if they do not
// wait at now. until is the value in the account's row; nil if nothing was
// held.
func HeldUntil(until *time.Time, now time.Time) *time.Time {
	if until == nil || !now.Before(*until) {
		return nil
	}
	return until
}

// VolumeDays and VolumePeriod are how far back a merchant's volume counts.
const (
	VolumeDays   = 30
	VolumePeriod = VolumeDays * 24 * time.Hour
)

// MaxFeeTiers is the maximum number of volume tiers.
const MaxFeeTiers = 50

// Tier is a fee rate for merchants whose volume reaches an amount.
type Tier struct {
	VolumeXMR money.Piconero `json:"volume_xmr" doc:"Confirmed in the last 30 days, from which the rate is in force; above 0" example:"100"`
	FeeRate   money.Decimal  `json:"fee_rate" doc:"Share of a payout, from 0 up to and without 1, at most 6 decimals" example:"0.004"`
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
		if t.VolumeXMR <= volume && t.VolumeXMR > reached {
			rate, reached = t.FeeRate, t.VolumeXMR
		}
	}
	return rate
}

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
