package provider

import (
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Errors of providers. None of them repeats what a provider wrote, names its
// address or shows its key.
var (
	// ErrPairUnsupported says that the provider does not swap these coins.
	ErrPairUnsupported = errors.New("the provider does not offer the pair")
	// ErrUnavailable says that there is no usable answer now; asking again later may help.
	ErrUnavailable = errors.New("the provider is not available")
	// ErrRefused says that the provider does not take this order, addresses included.
	ErrRefused = errors.New("the provider refused the order")
	// ErrRateChanged says that the swap would pay less than the order demands.
	ErrRateChanged = errors.New("the rate has changed")
	// ErrUncertain says that a swap may have been made: the order must not be
	// sent again blindly.
	ErrUncertain = errors.New("the swap may have been created")
	// ErrUnknownSwap says that the provider has no swap of this ID.
	ErrUnknownSwap = errors.New("the provider does not know the swap")
	// ErrBelowMin and ErrAboveMax are what a LimitError is.
	ErrBelowMin = errors.New("the amount is below the provider's minimum")
	ErrAboveMax = errors.New("the amount is above the provider's maximum")
)

// Outcome is one word for how a question to a provider ended: ok, below_min,
// above_max, pair_unsupported, unavailable, or fault for what should not be.
func Outcome(err error) string {
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, ErrBelowMin):
		return "below_min"
	case errors.Is(err, ErrAboveMax):
		return "above_max"
	case errors.Is(err, ErrPairUnsupported):
		return "pair_unsupported"
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	default:
		return "fault"
	}
}

// LimitError refuses an amount; it is an ErrBelowMin or an ErrAboveMax.
type LimitError struct {
	// Kind is ErrBelowMin or ErrAboveMax.
	Kind error
	// Limit is the bound in whole coins; nil when the provider does not tell.
	Limit *money.Decimal
}

func (e *LimitError) Error() string {
	if e.Limit == nil {
		return e.Kind.Error()
	}
	return fmt.Sprintf("%s of %s", e.Kind, e.Limit)
}

// Unwrap makes errors.Is find the kind.
func (e *LimitError) Unwrap() error { return e.Kind }

// CheckLimits returns a LimitError when an amount is outside of known bounds.
func CheckLimits(amount money.Decimal, lowest, highest *money.Decimal) error {
	if lowest != nil && amount.Cmp(*lowest) < 0 {
		return &LimitError{Kind: ErrBelowMin, Limit: lowest}
	}
	if highest != nil && amount.Cmp(*highest) > 0 {
		return &LimitError{Kind: ErrAboveMax, Limit: highest}
	}
	return nil
}
