package providerorder

import (
	"errors"

	"github.com/durapay/durapay/internal/provider"
)

// State is the stored outcome of an order that was not placed.
type State string

const (
	// Refused means that no such order exists, so a new one is allowed.
	Refused State = "refused"
	// OutcomeUnknown means that the provider may hold an order. It is never paid and
	// never sent again.
	OutcomeUnknown State = "uncertain"
)

// StateAfter returns the state of an order after an error of
// provider.Provider.Create. It returns OutcomeUnknown for every error that does
// not prove a refusal.
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
