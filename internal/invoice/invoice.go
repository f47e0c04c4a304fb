// Package invoice shows a charge as an invoice of the Greenfield surface: its
// status and its additional status. It decides nothing and does no input or output.
package invoice

import (
	"slices"

	"github.com/durapay/durapay/internal/charge"
)

// Names of the only payment method: now, and in BTCPay 1.x.
const (
	MethodXMR = "XMR-CHAIN"
	LegacyXMR = "XMR"
)

// IsMethodXMR takes the names that plugins have for the only payment method.
func IsMethodXMR(name string) bool {
	return slices.Contains([]string{MethodXMR, LegacyXMR, "XMR_CHAIN", "XMR-OnChain"}, name)
}

// Status is where an invoice stands.
type Status string

// The states of an invoice.
const (
	// New waits for money; a part may have come.
	New Status = "New"
	// Processing has the whole amount, not yet deep enough.
	Processing Status = "Processing"
	// Settled is a confirmed charge.
	Settled Status = "Settled"
	// Expired got no whole amount that counts.
	Expired Status = "Expired"
	// Invalid was marked so by the merchant.
	Invalid Status = "Invalid"
)

// Additional is the additional status of an invoice.
type Additional string

// The values of the additional status.
const (
	None Additional = "None"
	// PaidPartial has money, but nothing that settles it.
	PaidPartial Additional = "PaidPartial"
	// PaidLate is settled by money that counted after the expiration.
	PaidLate Additional = "PaidLate"
	// PaidOver has more money than was asked for.
	PaidOver Additional = "PaidOver"
	// Marked stands as it does since the merchant said so.
	Marked Additional = "Marked"
)

// State is a status and its additional status.
type State struct {
	Status     Status
	Additional Additional
}

// StateOf is the state of a charge as an invoice, given the facts at that moment.
//
// A shop takes PaidLate for paid, whatever the status. So late money is PaidLate
// once it is confirmed, and PaidPartial before.
func StateOf(c charge.Charge, f charge.Facts) State {
	view := charge.PublicViewOf(c, f, "")
	got := view.PaymentState
	switch {
	case c.Mark == charge.MarkedInvalid:
		return State{Invalid, Marked}
	case c.Status == charge.Confirmed && (c.Mark == charge.MarkedSettled || c.UnderpaidAcceptedAt != nil):
		return State{Settled, Marked}
	case c.Status == charge.Confirmed && c.Late:
		return State{Settled, PaidLate}
	case c.Status == charge.Confirmed:
		return State{Settled, over(got)}
	case c.Status == charge.Pending && (got == charge.Paid || got == charge.Overpaid):
		return State{Processing, over(got)}
	case c.Status == charge.Pending:
		return State{New, partial(got)}
	default:
		return State{Expired, partial(got)}
	}
}

func over(got charge.PaymentState) Additional {
	if got == charge.Overpaid {
		return PaidOver
	}
	return None
}

func partial(got charge.PaymentState) Additional {
	if got == charge.Unpaid {
		return None
	}
	return PaidPartial
}

// Markable are the states that the merchant may mark an invoice with now. A
// settled one stays settled: its money is in the books.
func Markable(s Status) []Status {
	switch s {
	case Settled:
		return []Status{}
	case Invalid:
		return []Status{Settled}
	default:
		return []Status{Settled, Invalid}
	}
}

// BuyerFields are the names in an invoice's metadata that say who the buyer is.
// They are removed when buyers' values are.
func BuyerFields() []string {
	return []string{
		"buyerName", "buyerEmail", "buyerCountry", "buyerZip", "buyerState", "buyerCity", "buyerAddress1", "buyerAddress2", "buyerPhone",
	}
}

// SpeedPolicy names how deep a payment must be.
type SpeedPolicy string

// The speed policies of BTCPay.
const (
	HighSpeed      SpeedPolicy = "HighSpeed"
	MediumSpeed    SpeedPolicy = "MediumSpeed"
	LowMediumSpeed SpeedPolicy = "LowMediumSpeed"
	LowSpeed       SpeedPolicy = "LowSpeed"
)

// Confirmations is how many blocks a policy asks for; ok is false for a name that
// is none. HighSpeed is 0 blocks at BTCPay and 1 here: a payment in the pool
// promises nothing.
func (p SpeedPolicy) Confirmations() (blocks int32, ok bool) {
	switch p {
	case HighSpeed, MediumSpeed:
		return 1, true
	case LowMediumSpeed:
		return 2, true
	case LowSpeed:
		return 6, true
	default:
		return 0, false
	}
}
