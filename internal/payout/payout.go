// Package payout holds the rules of a sweep: which payments go into its one
// transaction and how its sum splits into what the merchant gets, the
// operator's fee and the chain's fee. It does no input or output.
//
//	building ──relayed──▶ broadcast ──deep enough──▶ confirmed
//	    │
//	    └──refused, every key image unspent──▶ failed (its charges are released)
package payout

import (
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Status is where a payout stands.
type Status string

// The states of a payout.
const (
	Building  Status = "building"
	Broadcast Status = "broadcast"
	Confirmed Status = "confirmed"
	Failed    Status = "failed"
)

// MaxInputs is what one Monero transaction can spend: a larger one is refused
// by the network for its weight.
const MaxInputs = 146

// Confirmations is how deep a payout lies when it counts as confirmed.
const Confirmations = 10

// Candidate is a payment that could be swept.
type Candidate struct {
	TransferID      int64
	ChargeID        string
	SubaddressIndex int32
	Amount          money.Piconero
	// Outputs is the number of inputs that spending it takes.
	Outputs int32
}

// Selection is what goes into one transaction.
type Selection struct {
	TransferIDs []int64
	Indices     []uint32
	Gross       money.Piconero
	Outputs     int32
	Charges     int32
}

// Select takes whole subaddresses in the given order while they fit into one
// transaction. A subaddress is swept with all that lies on it or not at all.
func Select(candidates []Candidate) (Selection, error) {
	var s Selection
	for _, group := range bySubaddress(candidates) {
		outputs, amount, err := totals(group)
		if err != nil {
			return Selection{}, err
		}
		if s.Outputs+outputs > MaxInputs {
			continue
		}
		if s.Gross, err = s.Gross.Add(amount); err != nil {
			return Selection{}, fmt.Errorf("sum of a sweep: %w", err)
		}
		s.Outputs += outputs
		s.Charges++
		s.Indices = append(s.Indices, uint32(group[0].SubaddressIndex))
		for _, c := range group {
			s.TransferIDs = append(s.TransferIDs, c.TransferID)
		}
	}
	return s, nil
}

func bySubaddress(candidates []Candidate) [][]Candidate {
	var groups [][]Candidate
	at := map[int32]int{}
	for _, c := range candidates {
		i, known := at[c.SubaddressIndex]
		if !known {
			i = len(groups)
			at[c.SubaddressIndex] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

func totals(group []Candidate) (outputs int32, amount money.Piconero, err error) {
	for _, c := range group {
		outputs += c.Outputs
		if amount, err = amount.Add(c.Amount); err != nil {
			return 0, 0, fmt.Errorf("sum of a subaddress: %w", err)
		}
	}
	return outputs, amount, nil
}

// ErrTooSmall says that fees would eat the whole sum.
var ErrTooSmall = errors.New("the unpaid amount does not cover the fees")

// Fee is the operator's share of the gross sum, rounded down to a piconero.
// rate is a share: 0.005 is half a percent.
func Fee(gross money.Piconero, rate money.Decimal) (money.Piconero, error) {
	return gross.Percent(rate.Mul(money.DecimalFromInt(100)))
}

// Net is what is left of the gross sum after both fees; ErrTooSmall when
// nothing is.
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

// MaskAddress shows the first six and the last six characters of an address.
func MaskAddress(address string) string {
	const shown = 6
	if len(address) <= 2*shown {
		return "…"
	}
	return address[:shown] + "…" + address[len(address)-shown:]
}
