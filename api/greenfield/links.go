package greenfield

import (
	_ "embed"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages"
)

// modal is a script of the shop's own page. The hosted page may not be framed, so
// it leads there instead of showing a frame.
//
//go:embed modal.js
var modal []byte

// registerLinks adds what browsers are led to by plugins that build the addresses
// themselves: the hosted page, for buyers and from the shop's administration, and
// the script of WooCommerce's modal checkout.
func registerLinks(router chi.Router) {
	toPage := func(w http.ResponseWriter, r *http.Request) {
		//nolint:gosec // the pattern lets identifiers through alone, and the path is our own page's
		http.Redirect(w, r, pages.PathOf(chi.URLParam(r, "invoiceId"), r.URL.Query().Get("lang")), http.StatusFound)
	}
	script := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		w.Header().Set("Cache-Control", "public, max-age=3600")
		_, _ = w.Write(modal) // the client is gone if this fails
	}
	for pattern, h := range map[string]http.HandlerFunc{
		"/i/{invoiceId:ch_[0-9a-f]+}": toPage, "/invoices/{invoiceId:ch_[0-9a-f]+}": toPage, "/modal/btcpay.js": script,
	} {
		router.Get(pattern, h)
		router.Head(pattern, h)
	}
}
