package greenfield

import (
	_ "embed"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
)

// Prefix is the path prefix of the surface.
const Prefix = "/api/v1/"

// Owns reports whether a path belongs to this surface. The other paths below Prefix belong to
// the merchants' API.
func Owns(path string) bool {
	rest, ok := strings.CutPrefix(path, Prefix)
	if !ok {
		return false
	}
	first, _, _ := strings.Cut(rest, "/")
	switch first {
	case "api-keys", "server", "stores", "invoices", "pull-payments", "health":
		return true
	default:
		return false
	}
}

// Register adds the surface to the router of the merchants' API.
func Register(router chi.Router, d Deps) {
	registerLinks(router.With(d.Limits.Count(access.Other, tooMany)))
	errors := dialect.Errors{Errors: d.Errors}
	errors.Body = dialect.Body
	register(humachi.New(router, newConfig(d.PublicURL)), d, dialect.API{
		Guard: d.Guard.Answering(errors.Errors), Limits: d.Limits.Answering(errors.Errors), Errors: errors,
	})
}

func register(api huma.API, d Deps, to dialect.API) {
	to.API = api
	for _, room := range newResources(d) {
		room.Register(to)
	}
	finishDocument(api)
}

// tooMany answers a browser that follows the surface's links above the limit.
func tooMany(w http.ResponseWriter, _ *http.Request) {
	dialect.Write(w, &httpapi.Problem{Text: "Too many requests, try again later", Status: http.StatusTooManyRequests})
}

// NotFound answers a path of the surface without a route.
func NotFound(w http.ResponseWriter) {
	dialect.Write(w, &httpapi.Problem{Text: "There is nothing at this path", Status: http.StatusNotFound})
}

// MethodNotAllowed answers a method that a path of the surface does not have.
func MethodNotAllowed(w http.ResponseWriter) {
	dialect.Write(w, &httpapi.Problem{Text: "This path does not have this method", Status: http.StatusMethodNotAllowed})
}

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
