package greenfield

import (
	_ "embed"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages"
)

// modal is a script for the shop's own page. It redirects to the hosted page, because that
// page may not be shown in a frame.
//
//go:embed modal.js
var modal []byte

// registerLinks adds the addresses that plugins build themselves: the hosted page, for buyers
// and for the shop's administration, and the script of WooCommerce's modal checkout.
func registerLinks(router chi.Router) {
	toPage := func(w http.ResponseWriter, r *http.Request) {
		//nolint:gosec // the pattern lets identifiers through alone, and the path is our own page's
		http.Redirect(w, r, pages.PathOf(chi.URLParam(r, "invoiceId"), r.URL.Query().Get("lang")), http.StatusFound)
	}
	script := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(modal) // the client has disconnected if this fails
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"/i/{invoiceId:ch_[0-9a-f]+}": toPage, "/invoices/{invoiceId:ch_[0-9a-f]+}": toPage, "/modal/btcpay.js": script,
	} {
		router.Get(pattern, h)
		router.Head(pattern, h)
	}
}
