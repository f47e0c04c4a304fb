package greenfield

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/money"
)

const introduction = `The merchants' API in the dialect of BTCPay Server's Greenfield API, for shop plugins that were written for BTCPay.
A store is a merchant, an invoice is a charge, a pull payment is a refund, a payout is a claim of one; the only payment method is XMR-CHAIN.

Amounts are strings with exact decimals; in requests JSON numbers are taken too. Times are whole seconds since 1970. A field that is
null counts as absent. Success is 200 for every route. Bodies of GET requests are ignored.

A key is sent as ` + "`Authorization: token <key>`" + `. It does what it was granted, in its own store and its own mode (live or sandbox).
Errors are ` + "`{code, message}`" + `; a field that is missing or wrong is a 422 with ` + "`[{path, message}]`" + `. Bodies are JSON of at
most 10,240 bytes.`

func newConfig(publicURL string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Durapay Greenfield surface", Version: "1.0.0", Description: introduction},
			Servers: []*huma.Server{{URL: publicURL, Description: "This service"}},
			Tags: []*huma.Tag{
				{Name: dialect.TagAPIKeys, Description: "The key that is used."},
				{Name: dialect.TagServer, Description: "The service."},
				{Name: dialect.TagStores, Description: "The merchant, as a store, and how it is paid."},
				{Name: dialect.TagInvoices, Description: "Charges, as invoices."},
				{Name: dialect.TagPulls, Description: "Refunds, as pull payments, and what buyers do with one."},
				{Name: dialect.TagPayouts, Description: "Claims of refunds, as payouts."},
				{Name: dialect.TagWebhooks, Description: "Signed events in BTCPay's shape, and the log of their deliveries."},
			},
			Components: &huma.Components{
				Schemas: newRegistry(),
				SecuritySchemes: map[string]*huma.SecurityScheme{dialect.SecurityToken: {
					Type: "apiKey", In: "header", Name: "Authorization",
					Description: "`token` and a scoped key: dk_live_ (production) or dk_test_ (sandbox) and 48 hex digits.",
				}},
			},
		},
		Formats:       map[string]huma.Format{httpapi.JSON: httpapi.Format()},
		DefaultFormat: httpapi.JSON,
	}
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	r.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[objectSchema]())
	r.RegisterTypeAlias(reflect.TypeFor[money.Decimal](), reflect.TypeFor[decimalSchema]())
	return r
}

// decimalSchema describes exact numbers.
type decimalSchema struct{}

// Schema implements huma.SchemaProvider.
func (decimalSchema) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// objectSchema describes any JSON object.
type objectSchema struct{}

// Schema implements huma.SchemaProvider.
func (objectSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

// finishDocument adds the parts of the document that the routes do not determine.
func finishDocument(api huma.API) {
	registry := api.OpenAPI().Components.Schemas
	registry.Schema(reflect.TypeFor[dialect.Refusal](), true, "")
	registry.Schema(reflect.TypeFor[dialect.Field](), true, "")
	delete(registry.Map(), "ErrorModel") // Huma's own, which no route answers with
	delete(registry.Map(), "ErrorDetail")
	for _, s := range registry.Map() {
		s.AdditionalProperties = nil // unknown names in bodies are ignored
	}
}

// documentURL is the server in the documents of the repository.
const documentURL = "http://127.0.0.1:8080"

// API describes the routes without a running service. Its document is complete, but its
// handlers must not be called.
func API(publicURL string) huma.API {
	api := humachi.New(chi.NewRouter(), newConfig(publicURL))
	register(api, Deps{}, dialect.API{Guard: access.NewGuard(access.GuardSettings{}), Limits: &access.Limits{}})
	return api
}

// WriteOpenAPI writes greenfield.yaml (OpenAPI 3.1) and greenfield-3.0.yaml, the same document
// in 3.0.3 for generators that do not support 3.1, into dir. It creates dir if it is missing.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "greenfield", API(documentURL).OpenAPI())
}
