package greenfield

import (
	_ "embed"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/service"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Deps holds the surface's dependencies, which it shares with the merchants' API.
type Deps struct {
	Store  *postgres.Store
	Box    *secret.Box
	Guard  *access.Guard
	Limits *access.Limits
	Errors httpapi.Errors
	Start  service.Workflows
	// Refunds creates refunds and takes claims.
	Refunds service.RefundLinks
	// Notices sends notices to merchants by mail.
	Notices notice.Notices
	Clock   func() time.Time
	// ChargeTimeout is how long a charge awaits payment unless it sets its own timeout.
	ChargeTimeout time.Duration
	// PublicURL is the base URL that customers see, OnionURL that of the onion
	// mirror or empty; both without a trailing slash.
	PublicURL, OnionURL string
}

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
	d.Errors.Body = form
	d.Guard, d.Limits = d.Guard.Answering(d.Errors), d.Limits.Answering(d.Errors)
	newAPI(router, d)
}

// API describes the routes without a running service. Its document is complete, but its
// handlers must not be called.
func API(publicURL string) huma.API {
	return newAPI(chi.NewRouter(), Deps{PublicURL: publicURL, Guard: access.NewGuard(access.GuardSettings{}), Limits: &access.Limits{}})
}

// operations has the texts and the examples of all routes.
//
//go:embed operations.json
var operations []byte

// plainNumber describes decimals.
type plainNumber struct{}

// Schema implements huma.SchemaProvider.
func (plainNumber) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

func newAPI(router chi.Router, d Deps) huma.API {
	texts, schemas := operation.Read(operations), operation.NewRegistry(huma.DefaultSchemaNamer)
	schemas.RegisterTypeAlias(reflect.TypeFor[money.Decimal](), reflect.TypeFor[plainNumber]())
	api := humachi.New(router, texts.Config(d.PublicURL, schemas))
	register(operation.API{
		API: api, Surface: texts, Guard: d.Guard, Limits: d.Limits, Errors: d.Errors,
		StoreOf: func(ctx huma.Context) string { return ctx.Param("storeId") },
	}, d)
	operation.FinishSchemas(schemas, reflect.TypeFor[Refusal](), reflect.TypeFor[Field]())
	return api
}

// documentURL is the server in the documents of the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes greenfield.yaml (OpenAPI 3.1) and greenfield-3.0.yaml, the same document
// in 3.0.3 for generators that do not support 3.1, into dir. It creates dir if it is missing.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "greenfield", API(documentURL).OpenAPI())
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
