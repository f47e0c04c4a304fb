package payout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/durapay/durapay/internal/money"
)

// feeInputs is the size of a transaction apart from its inputs, measured in inputs.
// Three outputs with their proofs are smaller than that.
const feeInputs = 5

// RefundNeeds returns the smallest gross sum, over a number of outputs, that pays a
// refund, the chain's fee and the operator's share of the whole sum, and leaves
// something for the merchant. perInput is the approximate fee of an input. It returns
// the largest Piconero, more than exists, if no sum is enough.
func RefundNeeds(refund, perInput money.Piconero, outputs int32, rate money.Decimal) (money.Piconero, error) {
	kept := money.DecimalFromInt(1).Sub(rate)
	least := perInput.Atomic().Mul(money.DecimalFromInt(int64(outputs) + feeInputs)).Add(refund.Atomic()).Add(money.DecimalFromInt(1))
	gross, err := least.DivFloor(kept, 0)
	if err != nil {
		return 0, err
	}
	units, err := gross.ToAtomic(0)
	if errors.Is(err, money.ErrRange) {
		return ^money.Piconero(0), nil
	}
	return money.Piconero(units), err
}

// Cover chooses whole payments that pay a refund in one transaction: as few outputs as
// possible, and among those choices the payments that come first in the given order.
// need returns the smallest sum for a number of outputs, and grows with it. ok is
// false when no choice covers it.
func Cover(candidates []Candidate, need func(outputs int32) (money.Piconero, error)) (s Selection, ok bool, err error) {
	most, err := bestSums(candidates)
	if err != nil {
		return s, false, err
	}
	for outputs := int32(1); outputs <= MaxInputs(); outputs++ {
		least, err := need(outputs)
		if err != nil {
			return s, false, err
		}
		if most[0][outputs] >= least {
			return first(candidates, most, outputs, least), true, nil
		}
	}
	return s, false, nil
}

// bestSums returns a table: row i, column n holds the largest sum of the candidates
// from i on that takes at most n outputs.
func bestSums(candidates []Candidate) ([][]money.Piconero, error) {
	most := make([][]money.Piconero, len(candidates)+1)
	most[len(candidates)] = make([]money.Piconero, MaxInputs()+1)
	for i := len(candidates) - 1; i >= 0; i-- {
		c := candidates[i]
		most[i] = make([]money.Piconero, MaxInputs()+1)
		copy(most[i], most[i+1])
		for n := c.Outputs; n <= MaxInputs(); n++ {
			with, err := most[i+1][n-c.Outputs].Add(c.Amount)
			if err != nil {
				return nil, fmt.Errorf("sum of a refund: %w", err)
			}
			most[i][n] = max(most[i][n], with)
		}
	}
	return most, nil
}

// first selects each candidate in turn with which the sum can still be reached.
func first(candidates []Candidate, most [][]money.Piconero, outputs int32, least money.Piconero) Selection {
	var s Selection
	charges := map[string]bool{}
	for i, c := range candidates {
		remaining := outputs - s.Outputs - c.Outputs
		if s.Gross >= least || remaining < 0 || s.Gross+c.Amount+most[i+1][remaining] < least {
			continue
		}
		s.PaymentIDs = append(s.PaymentIDs, c.PaymentID)
		s.Gross += c.Amount
		s.Outputs += c.Outputs
		charges[c.ChargeID] = true
	}
	s.Charges = int32(len(charges))
	return s
}

// feeMargin is by how many percent the chain's fee may exceed its measurement, because
// the size of a ring differs from build to build.
const feeMargin = 1

// RefundRest returns what remains for the merchant of a gross sum, after a refund, the
// measured fee of the chain with a margin, and the operator's share of the whole sum.
// The share includes the refund because a merchant may be the buyer and could
// otherwise avoid the share. It returns ErrTooSmall when nothing remains.
func RefundRest(gross, refund, measured money.Piconero, rate money.Decimal) (money.Piconero, error) {
	fee, err := Fee(gross, rate)
	if err != nil {
		return 0, err
	}
	rest, err := gross.Sub(refund)
	if err != nil {
		return 0, ErrTooSmall
	}
	margin, err := measured.Percent(money.DecimalFromInt(feeMargin))
	if err != nil {
		return 0, err
	}
	if measured, err = measured.Add(margin); err != nil {
		return 0, ErrTooSmall
	}
	return Net(rest, fee, measured)
}

// RefundTakes returns the smallest gross sum of which RefundRest leaves something.
func RefundTakes(refund, measured money.Piconero, rate money.Decimal) (money.Piconero, error) {
	margin, err := measured.Percent(money.DecimalFromInt(feeMargin))
	if err != nil {
		return 0, err
	}
	return RefundNeeds(refund, measured+margin, 1-feeInputs, rate)
}

// CoverWith chooses as Cover does, but must is always part of the choice.
func CoverWith(must Candidate, candidates []Candidate, need func(outputs int32) (money.Piconero, error)) (s Selection, ok bool, err error) {
	least, err := need(must.Outputs)
	if err != nil {
		return s, false, err
	}
	if must.Amount < least {
		s, ok, err = Cover(candidates, func(outputs int32) (money.Piconero, error) {
			if outputs+must.Outputs > MaxInputs() {
				return ^money.Piconero(0), nil
			}
			all, err := need(outputs + must.Outputs)
			return all.SubFloor(must.Amount), err
		})
		if err != nil || !ok {
			return s, false, err
		}
	}
	charges := map[string]bool{must.ChargeID: true}
	for _, c := range candidates {
		if slices.Contains(s.PaymentIDs, c.PaymentID) {
			charges[c.ChargeID] = true
		}
	}
	s.PaymentIDs = append(s.PaymentIDs, must.PaymentID)
	s.Outputs, s.Charges = s.Outputs+must.Outputs, int32(len(charges))
	s.Gross, err = s.Gross.Add(must.Amount)
	return s, true, err
}
