package pages

import "github.com/durapay/durapay/internal/charge"

// stage is the state that a payment page shows. Every stage has its own texts.
type stage string

const (
	stageWaiting        stage = "waiting"
	stagePartial        stage = "partial"
	stageSeen           stage = "seen"
	stageConfirming     stage = "confirming"
	stageConfirmed      stage = "confirmed"
	stageExpired        stage = "expired"
	stageExpiredPartial stage = "expired_partial"
	stageLateConfirming stage = "late_confirming"
	stageLateConfirmed  stage = "late_confirmed"
)

// stageOf derives the stage of a charge from its view.
func stageOf(v View) stage {
	covered := v.PaymentState == charge.Paid || v.PaymentState == charge.Overpaid
	switch {
	case v.Status == charge.Confirmed && v.Late:
		return stageLateConfirmed
	case v.Status == charge.Confirmed:
		return stageConfirmed
	case v.Status == charge.Expired && covered:
		return stageLateConfirming
	case v.Status == charge.Expired && v.AmountReceivedXMR > 0:
		return stageExpiredPartial
	case v.Status == charge.Expired:
		return stageExpired
	case covered && v.Confirmations > 0:
		return stageConfirming
	case covered:
		return stageSeen
	case v.AmountReceivedXMR > 0:
		return stagePartial
	default:
		return stageWaiting
	}
}

// payable reports whether the page asks the customer to pay.
func (s stage) payable() bool { return s == stageWaiting || s == stagePartial }

// moving reports whether the page can still change by itself, so that reloading it is useful.
func (s stage) moving() bool {
	return s.payable() || s.confirms()
}

// confirms reports whether the whole amount was seen and still needs confirmations.
func (s stage) confirms() bool {
	return s == stageSeen || s == stageConfirming || s == stageLateConfirming
}

// done reports whether the payment is complete.
func (s stage) done() bool { return s == stageConfirmed || s == stageLateConfirmed }

// tone returns the colour family of the stage: a class name in the stylesheet.
func (s stage) tone() string {
	switch s {
	case stageConfirmed, stageLateConfirmed:
		return "good"
	case stagePartial, stageExpiredPartial:
		return "warn"
	case stageExpired:
		return "ended"
	default:
		return "calm"
	}
}

// step returns the position in the three steps waiting, seen, confirmed: 1 to 3, or 0 if the
// steps do not apply.
func (s stage) step() int {
	switch {
	case s.done():
		return 3
	case s.confirms():
		return 2
	case s.payable():
		return 1
	default:
		return 0
	}
}

// dueURI returns the monero: URI for the amount still due.
func dueURI(v View) string { return charge.PaymentURI(v.Subaddress, v.AmountDueXMR) }

// addressURI returns the monero: URI without an amount.
func addressURI(v View) string { return charge.PaymentURI(v.Subaddress, 0) }
