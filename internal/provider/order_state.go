package provider

import (
	"errors"
)

// OrderState is the stored outcome of an order that was not placed.
type OrderState string

const (
	// Refused means that no such order exists, so a new one is allowed.
	Refused OrderState = "refused"
	// OutcomeUnknown means that the provider may hold an order. It is never paid and
	// never sent again.
	OutcomeUnknown OrderState = "uncertain"
)

// OrderStateAfter returns the state of an order after an error of
// provider.Provider.Create. It returns OutcomeUnknown for every error that does
// not prove a refusal.
func OrderStateAfter(err error) OrderState {
	for _, none := range []error{
		ErrPairUnsupported, ErrUnavailable, ErrRefused, ErrBelowMin, ErrAboveMax,
	} {
		if errors.Is(err, none) {
			return Refused
		}
	}
	return OutcomeUnknown
}
