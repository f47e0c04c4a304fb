package provider

import (
	"errors"
	"fmt"

	"github.com/durapay/durapay/internal/money"
)

// Errors of providers. None of them contains a provider's text, address or key.
var (
	// ErrPairUnsupported means that the provider does not swap these coins.
	ErrPairUnsupported = errors.New("the provider does not offer the pair")
	// ErrUnavailable means that there is no usable answer now. A later call may succeed.
	ErrUnavailable = errors.New("the provider is not available")
	// ErrRefused means that the provider refuses this order, for example because of its
	// addresses.
	ErrRefused = errors.New("the provider refused the order")
	// ErrRateChanged means that the swap would pay less than the order demands.
	ErrRateChanged = errors.New("the rate has changed")
	// ErrUncertain means that the provider may have made a swap, so the caller must not
	// blindly repeat the order.
	ErrUncertain = errors.New("the swap may have been created")
	// ErrUnknownSwap means that the provider has no swap with this ID.
	ErrUnknownSwap = errors.New("the provider does not know the swap")
	// ErrBelowMin and ErrAboveMax are the two kinds of a LimitError.
	ErrBelowMin = errors.New("the amount is below the provider's minimum")
	ErrAboveMax = errors.New("the amount is above the provider's maximum")
)

// Outcome returns one word for the result of a call to a provider: ok, below_min,
// above_max, pair_unsupported, unavailable, or fault for an unexpected error.
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

// LimitError refuses an amount. It unwraps to ErrBelowMin or ErrAboveMax.
type LimitError struct {
	// Kind is ErrBelowMin or ErrAboveMax.
	Kind error
	// Limit is the bound in whole coins; nil if the provider does not report it.
	Limit *money.Decimal
}

func (e *LimitError) Error() string {
	if e.Limit == nil {
		return e.Kind.Error()
	}
	return fmt.Sprintf("%s of %s", e.Kind, e.Limit)
}

// Unwrap returns the kind, so that errors.Is finds it.
func (e *LimitError) Unwrap() error { return e.Kind }

// CheckLimits returns a LimitError if an amount is outside of known bounds.
func CheckLimits(amount money.Decimal, lowest, highest *money.Decimal) error {
	if lowest != nil && amount.Cmp(*lowest) < 0 {
		return &LimitError{Kind: ErrBelowMin, Limit: lowest}
	}
	if highest != nil && amount.Cmp(*highest) > 0 {
		return &LimitError{Kind: ErrAboveMax, Limit: highest}
	}
	return nil
}
