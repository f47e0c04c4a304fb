package provider

import (
	"errors"
	"fmt"
	"strings"

	"github.com/durapay/durapay/internal/coin"
	"github.com/durapay/durapay/internal/money"
)

// errNotOrdered says that the provider made something else than was ordered.
// Nothing may be sent to it.
var errNotOrdered = errors.New("the swap is not the one that was ordered")

const (
	maxID        = 128
	rateDecimals = 18
)

// Accept checks a swap that a provider says it has made against the order:
// ErrRateChanged when it pays too little, ErrUncertain when it is not the swap
// that was ordered or cannot be paid. paidTo is the address that the provider
// would pay, or empty if it does not say; net is where its coins live.
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

// Usable is the swap without what no provider should say: hashes that are not
// plain text, which would be shown to clients and which no database takes, are
// left out, and so is all of the word that is not ASCII.
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

// usableID takes IDs that can stand in a URL and a log.
func usableID(id string) bool {
	return id != "" && len(id) <= maxID && strings.IndexFunc(id, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}

// Priced completes a quote for amountTo: the rate, rounded down, and the check of the
// limits. ErrUnavailable when the amount is not positive.
func (q Quote) Priced(amountTo money.Decimal) (Quote, error) {
	if err := CheckLimits(q.Amount, q.Min, q.Max); err != nil {
		return Quote{}, err
	}
	if amountTo.Sign() <= 0 {
		return Quote{}, fmt.Errorf("%w: it offers nothing", ErrUnavailable)
	}
	rate, err := amountTo.DivFloor(q.Amount, rateDecimals)
	if err != nil {
		return Quote{}, fmt.Errorf("%w: no amount", ErrUnavailable)
	}
	q.AmountTo, q.Rate = amountTo, rate
	return q, nil
}
