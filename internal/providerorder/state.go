package providerorder

import (
	"errors"

	"github.com/durapay/durapay/internal/provider"
)

// State is how an order ended that was not placed, as it is stored.
type State string

const (
	// Refused says that no such order exists: it may be sent again.
	Refused State = "refused"
	// OutcomeUnknown says that the provider may hold an order: nobody pays it, and
	// it is never sent again.
	OutcomeUnknown State = "uncertain"
)

// StateAfter tells orders that do not exist from those that may, by the error of
// provider.Provider.Create. What is not known to be a refusal is OutcomeUnknown.
func StateAfter(err error) State {
	for _, none := range []error{
		provider.ErrPairUnsupported, provider.ErrUnavailable, provider.ErrRefused, provider.ErrBelowMin, provider.ErrAboveMax,
	} {
		if errors.Is(err, none) {
			return Refused
		}
	}
	return OutcomeUnknown
}
