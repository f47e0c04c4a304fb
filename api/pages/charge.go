package pages

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
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
	// Contact is how buyers reach the merchant, as the merchant wrote it; may be empty.
	Contact string
	// Unwatched is set while the service does not see payments to the charge's wallet.
	Unwatched bool
	// NamedLink is set if the link and its QR code name the merchant and the description, so
	// that the buyer's wallet shows them.
	NamedLink bool
	// MailsReceipt is set if a buyer who gives an email address gets a receipt.
	MailsReceipt bool
}

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

// look returns the position of a stage in the three steps waiting, seen, confirmed, or 0 if they do
// not apply, and its colour family, a class name in the stylesheet.
func (s stage) look() (step int, tone string) {
	of := map[stage]struct {
		step int
		tone string
	}{
		stageWaiting: {1, "calm"}, stagePartial: {1, "warn"}, stageSeen: {2, "calm"}, stageConfirming: {2, "calm"},
		stageLateConfirming: {2, "calm"}, stageConfirmed: {3, "good"}, stageLateConfirmed: {3, "good"},
		stageExpired: {0, "ended"}, stageExpiredPartial: {0, "warn"},
	}[s]
	return of.step, of.tone
}

// toneOf returns the colour family of a charge's page: a warning while payments cannot be seen, or
// another buyer has paid.
func toneOf(at stage, v View) string {
	if (v.Unwatched && !at.done()) || (v.RivalSeen && at.payable()) {
		return "warn"
	}
	_, tone := at.look()
	return tone
}

func (s stage) step() int {
	step, _ := s.look()
	return step
}

// payable reports whether the page asks the customer to pay.
func (s stage) payable() bool { return s.step() == 1 }

// moving reports whether the page can still change by itself, so that reloading it is useful.
func (s stage) moving() bool { return s.payable() || s.confirms() }

// confirms reports whether the whole amount was seen and still needs confirmations.
func (s stage) confirms() bool { return s.step() == 2 }

// needsMerchant reports whether the texts of the stage may send the buyer to the merchant.
func (s stage) needsMerchant() bool {
	return slices.Contains([]stage{stageExpired, stageExpiredPartial, stageLateConfirming, stageLateConfirmed}, s)
}

// done reports whether the payment is complete.
func (s stage) done() bool { return s.step() == 3 }

// dueURI returns the monero: URI for the amount still due.
func dueURI(v View) string {
	if !v.NamedLink {
		return charge.PaymentURI(v.Subaddress, v.AmountDueXMR)
	}
	return charge.NamedURI(v.Subaddress, v.AmountDueXMR, v.BusinessName, web.OrEmpty(v.Description))
}

// codeSize is the edge of a QR image in pixels: twice its size on the page, for
// high-resolution screens.
const codeSize = 560

// paymentQR draws the monero: URI for the amount still due.
func (s *Site) paymentQR(w http.ResponseWriter, r *http.Request) { s.code(w, r, dueURI) }

// addressQR draws the address without an amount.
func (s *Site) addressQR(w http.ResponseWriter, r *http.Request) {
	s.code(w, r, func(v View) string { return charge.PaymentURI(v.Subaddress, 0) })
}

// code draws a QR code for a charge that awaits payment. Otherwise it answers ErrGone (410),
// because the code would ask for a payment that is no longer due.
func (s *Site) code(w http.ResponseWriter, r *http.Request, content func(View) string) {
	view, found := s.viewed(w, r)
	if !found {
		return
	}
	if view.Unpayable || !stageOf(view).payable() {
		s.fail(w, r, ErrGone)
		return
	}
	image, err := web.QRCode(content(view), codeSize)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.sendCode(w, r, view, image)
}

// sendCode lets the browser cache an image whose URL names the amount due, so that a page that
// reloads does not fetch it again.
func (s *Site) sendCode(w http.ResponseWriter, r *http.Request, v View, image []byte) {
	h := w.Header()
	kit.Secure(h)
	h.Set("Content-Type", "image/png")
	h.Set("Content-Length", strconv.Itoa(len(image)))
	h.Set("Cache-Control", "no-store")
	if r.URL.Query().Get("due") == v.AmountDueXMR.String() {
		h.Set("Cache-Control", "private, max-age=3600, immutable")
	}
	_, _ = w.Write(image)
}
