package upstream

import (
	"errors"

	"github.com/durapay/durapay/internal/outbound"
)

// ErrAnswer says that an answer has not the form that was agreed on.
var ErrAnswer = errors.New("unusable answer")

// callError hides the text of a failed call, which names addresses, and keeps
// what it is.
type callError struct{ cause error }

func (e callError) Error() string { return outbound.Describe(e.cause) }

func (e callError) Unwrap() error { return e.cause }

func describe(err error) error { return callError{cause: err} }
