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
