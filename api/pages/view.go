package pages

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/charge"
)

// ErrNotFound is returned if there is no such charge or payment request (404).
var ErrNotFound = errors.New("pages: not found")

// ErrGone is returned if a link is no longer valid and nothing was paid (410).
var ErrGone = errors.New("pages: gone")

// ErrInvalid is returned if a buyer's value was refused (400).
var ErrInvalid = errors.New("pages: invalid value")

// ErrBusy is returned if the merchant has too many open payments (429).
var ErrBusy = errors.New("pages: busy")

// Charges reads charges for their public page.
type Charges interface {
	// PublicCharge returns the view of a charge by its ch_ identifier. Errors: ErrNotFound;
	// ErrGone (an Unpayable view has the same effect, with a more exact text).
	PublicCharge(ctx context.Context, id string) (View, error)
}

// Lock is how long a payer has locked a payment: until a moment, or until the chain has a
// number of blocks.
type Lock struct {
	At     *time.Time
	Height int64
}

// View is a charge as its customer may see it, and the page's other contents. It holds no
// merchant identifier, no metadata but the number of an order, and no buyer's values.
type View struct {
	charge.PublicView

	// BusinessName is the merchant's; empty if it has none.
	BusinessName string
	Sandbox      bool
	// Unpayable is charge.Unpayable: the page answers 410.
	Unpayable bool
	// RivalSeen is set if a payment of another charge of the same single-use request was seen.
	RivalSeen bool
	// Lock is the payer's lock that the charge waits for longest; nil for none.
	Lock *Lock
	// Order is the shop's number of the order, of a charge that a plugin made.
	Order string
	// FieldsGiven reports whether the buyer's values of Fields were sent.
	FieldsGiven bool
}
