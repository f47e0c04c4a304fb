package upstream

import (
	"errors"

	"github.com/durapay/durapay/internal/outbound"
)

// ErrAnswer means that an answer does not have the agreed form.
var ErrAnswer = errors.New("unusable answer")

// callError hides the text of a failed call, because it contains addresses. It
// keeps the cause for errors.Is.
type callError struct{ cause error }

func (e callError) Error() string { return outbound.Describe(e.cause) }

func (e callError) Unwrap() error { return e.cause }

func describe(err error) error { return callError{cause: err} }
