package pages

import (
	"net/http"
	"strconv"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
)

// codeSize is the edge of a QR image in pixels: twice its size on the page, for
// high-resolution screens.
const codeSize = 560

// paymentQR draws the monero: URI for the amount still due.
func (s *Site) paymentQR(w http.ResponseWriter, r *http.Request) { s.code(w, r, dueURI) }

// addressQR draws the address without an amount.
func (s *Site) addressQR(w http.ResponseWriter, r *http.Request) { s.code(w, r, addressURI) }

// code draws a QR code for a charge that awaits payment. Otherwise it answers ErrGone (410),
// because the code would ask for a payment that is no longer due.
func (s *Site) code(w http.ResponseWriter, r *http.Request, content func(View) string) {
	id := chi.URLParam(r, "id")
	if !chargeID.MatchString(id) {
		s.fail(w, r, ErrNotFound)
		return
	}
	view, err := s.Charges.PublicCharge(r.Context(), id)
	if err == nil && (view.Unpayable || !stageOf(view).payable()) {
		err = ErrGone
	}
	if err != nil {
		s.fail(w, r, err)
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
