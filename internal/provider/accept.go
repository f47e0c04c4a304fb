package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// errNotOrdered means that the provider made a swap that differs from the order.
// Nothing may be sent to it.
var errNotOrdered = errors.New("the swap is not the one that was ordered")

// maxID is the maximum length of an ID.
const maxID = 128

// Accept compares a swap that a provider has reported as made with the order. It
// returns ErrRateChanged if the swap pays too little, and ErrUncertain if it is not
// the ordered swap or cannot be paid. paidTo is the address that the provider would
// pay, or empty if the provider does not report it. net is the net of the provider's
// coins.
func (o Order) Accept(s Swap, paidTo string, net coin.Net) (Swap, error) {
	if err := o.compare(s, paidTo, net); err != nil {
		return Swap{}, fmt.Errorf("%w: %w", ErrUncertain, err)
	}
	if s.AmountTo.Cmp(o.LeastAmountTo) < 0 {
		return Swap{}, ErrRateChanged
	}
	return s, nil
}

func (o Order) compare(s Swap, paidTo string, net coin.Net) error {
	switch {
	case !usableID(s.ID):
		return fmt.Errorf("%w: no usable id", errNotOrdered)
	case paidTo != "" && !strings.EqualFold(paidTo, o.Address):
		return fmt.Errorf("%w: another address", errNotOrdered)
	case s.AmountFrom.Cmp(o.Amount) != 0:
		return fmt.Errorf("%w: another amount", errNotOrdered)
	case s.AmountTo.Sign() <= 0:
		return fmt.Errorf("%w: it pays nothing", errNotOrdered)
	case s.DepositMemo != "" && !usableID(s.DepositMemo):
		return fmt.Errorf("%w: no usable memo", errNotOrdered)
	case o.From.CheckAddress(s.DepositAddress, net) != nil:
		return fmt.Errorf("%w: not a deposit address of the coin", errNotOrdered)
	}
	return nil
}

// Usable returns the swap without text that no provider should send. It drops hashes
// that are not plain text, because they would be shown to clients and databases
// refuse them. It also drops characters of Word that are not printable ASCII.
func (s Swap) Usable() Swap {
	for _, hash := range []*string{&s.DepositTx, &s.PayoutTx, &s.RefundTx} {
		if !usableID(*hash) {
			*hash = ""
		}
	}
	s.Word = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s.Word)
	s.Word = s.Word[:min(len(s.Word), maxID)]
	return s
}

// usableID reports whether an ID can be part of a URL and a log line.
func usableID(id string) bool {
	return id != "" && len(id) <= maxID && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// Priced completes a quote for amountTo: it checks the limits and calculates the
// rate, rounded down. It returns a LimitError for an amount outside of the limits,
// and ErrUnavailable if an amount is not positive.
func (q Quote) Priced(amountTo money.Decimal) (Quote, error) {
	if err := CheckLimits(q.Amount, q.Min, q.Max); err != nil {
		return Quote{}, err
	}
	if amountTo.Sign() <= 0 {
		return Quote{}, fmt.Errorf("%w: it offers nothing", ErrUnavailable)
	}
	rate, err := amountTo.DivFloor(q.Amount, RateDecimals)
	if err != nil {
		return Quote{}, fmt.Errorf("%w: no amount", ErrUnavailable)
	}
	q.AmountTo, q.Rate = amountTo, rate
	return q, nil
}
