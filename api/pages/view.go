package pages

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/money"
)

// ErrNotFound says that there is no such charge or payment request (404).
var ErrNotFound = errors.New("pages: not found")

// ErrGone says that a link is no longer valid and nothing was paid (410).
var ErrGone = errors.New("pages: gone")

// ErrInvalid says that a buyer's value was refused (400).
var ErrInvalid = errors.New("pages: invalid value")

// ErrBusy says that the merchant has too many open payments (429).
var ErrBusy = errors.New("pages: busy")

// Charges reads charges for their public page.
type Charges interface {
	// PublicCharge returns the view of a charge by its ch_ identifier.
	// Errors: ErrNotFound; ErrGone (a view with an inactive or expired link
	// and no payment seen has the same effect, with a more exact text).
	PublicCharge(ctx context.Context, id string) (View, error)
}

// Status is the status of a charge.
type Status string

// The statuses of a charge.
const (
	Pending   Status = "pending"
	Confirmed Status = "confirmed"
	Expired   Status = "expired"
)

// LinkState tells whether the link to a charge is valid.
type LinkState string

// The states of a link.
const (
	LinkActive   LinkState = "active"
	LinkInactive LinkState = "inactive"
	LinkExpired  LinkState = "expired"
)

// PaymentState compares what was received with what was asked for.
type PaymentState string

// The states of payment.
const (
	Unpaid   PaymentState = "unpaid"
	Partial  PaymentState = "partial"
	Paid     PaymentState = "paid"
	Overpaid PaymentState = "overpaid"
)

// View is a charge as its customer may see it. It holds no merchant
// identifier, no metadata and no value that a buyer has given.
type View struct {
	ID string
	// Amount is in the natural unit of Currency.
	Amount   money.Decimal
	Currency string
	// AmountXMR is the amount fixed at creation.
	AmountXMR  money.Piconero
	Subaddress string
	// PaymentURI is the monero: URI of the whole amount.
	PaymentURI string
	Status     Status
	// Confirmations is 0 while a needed payment is in the pool.
	Confirmations, ConfirmationsRequired int
	// ExpiresAt is the payment timeout; ConfirmedAt is nil until confirmed.
	ExpiresAt   time.Time
	ConfirmedAt *time.Time
	Description string
	// ReturnURL is shown only if it is an absolute http or https URL.
	ReturnURL    string
	BusinessName string
	Active       bool
	LinkState    LinkState
	// AmountReceived is the sum of all payments seen; AmountDue what is missing.
	AmountReceived, AmountDue money.Piconero
	PaymentState              PaymentState
	// Late is true when the payment came after the timeout.
	Late    bool
	Sandbox bool
	// PaymentSeen is true once any payment was seen; the link then stays valid.
	PaymentSeen bool
	// Fields names the buyer fields that the merchant asks for, and
	// FieldsGiven tells that they were sent.
	Fields      []string
	FieldsGiven bool
}

// gone tells whether the page of the charge answers 410.
func (v View) gone() bool {
	valid := v.LinkState == LinkActive || v.LinkState == ""
	return !valid && !v.PaymentSeen && v.AmountReceived == 0
}
