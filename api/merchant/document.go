package merchant

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
	"github.com/durapay/durapay/api/merchant/webhooks"
	"github.com/durapay/durapay/api/web"
)

const documentTitle = "Durapay merchant API"

const introduction = `Accepts Monero payments for merchants.

Every path below ` + "`/api/`" + ` answers under ` + "`/api/v1/`" + ` as well, byte for byte the same.
Amounts are exact decimals: fiat with at most 2 decimals, XMR with at most 12. Timestamps are ISO 8601 in UTC with
milliseconds; inputs may carry an offset. A field without a value is null. The body of every error is
` + "`{\"error\": <string>}`" + `; branch on the status, the text is for humans. Each answer carries ` + "`X-Request-Id`" + `.
HEAD works wherever GET does; another method of a path that exists is a 405 with ` + "`Allow`" + `.

Bodies are JSON of at most 10,240 bytes. Fields and parameters that are not known are ignored. A wrong type, an empty
body, bytes behind the body and more decimals than the unit has are a 400.

Requests are counted in a window that slides; one too many is a 429 with ` + "`Retry-After`" + `. Sign-up and login together have
10 in 15 minutes, creations of charges 30 a minute, QR codes 60, public reads 120, everything else 500. What needs a key
counts for the merchant and the mode of the key, what needs a session for the merchant, everything else for the address
(of IPv6 the /64 network). Of credentials that are not valid an address may show 60 a minute.

No operation takes an idempotency key. Creating a swap is safe to repeat, because a quote makes one swap. A charge is found by
` + "`metadata.order_id`" + ` before it is created again.`

func newConfig(publicURL string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: documentTitle, Version: "1.0.0", Description: introduction,
			},
			Servers: []*huma.Server{{URL: publicURL, Description: "This service"}},
			Tags:    tags(),
			Components: &huma.Components{
				Schemas: newRegistry(),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					operation.SecurityKey: {
						Type: "apiKey", In: "header", Name: "x-api-key",
						Description: "cm_live_ (production) or cm_test_ (sandbox) and 48 hex digits. A key sees its own mode only.",
					},
					operation.SecurityJWT: {
						Type: "http", Scheme: "bearer", BearerFormat: "JWT",
						Description: "Session token from login or signup, valid for 7 days.",
					},
				},
			},
		},
		Formats:       map[string]huma.Format{httpapi.JSON: httpapi.Format()},
		DefaultFormat: httpapi.JSON,
	}
}

func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: operation.TagAuth, Description: "Accounts and session tokens."},
		{Name: operation.TagAccount, Description: "Settings of the account."},
		{Name: operation.TagCharges, Description: "Requests for payment, each with an address of its own."},
		{Name: operation.TagRequests, Description: "Links to share, from which a charge is made when they are visited."},
		{Name: operation.TagWebhooks, Description: "Signed events and the log of their deliveries."},
		{Name: operation.TagPayouts, Description: "What confirmed charges have brought in, and its way to the merchant."},
		{Name: operation.TagReports, Description: "Confirmed charges and payouts of a period, for bookkeeping."},
		{Name: operation.TagPrice, Description: "The price of XMR."},
		{Name: operation.TagSwaps, Description: "Exchange of coins by swap providers. The service never holds the coins."},
		{Name: operation.TagSandbox, Description: "Pays charges of the sandbox: simulated payments and blocks, for sandbox keys."},
		{Name: operation.TagAdmin, Description: "For operators: session tokens of accounts that the command line made admins."},
		{Name: operation.TagSystem, Description: "Probes and documents."},
	}
}

// finishDocument adds the parts of the document that do not follow from the operations.
func finishDocument(api huma.API) {
	doc := api.OpenAPI()
	registry := doc.Components.Schemas
	registry.Schema(reflect.TypeFor[httpapi.Problem](), true, "")
	delete(registry.Map(), "ErrorModel") // Huma's own, which no operation answers with
	delete(registry.Map(), "ErrorDetail")
	documentRoutes(doc)
	doc.Webhooks = webhooks.Documents(registry)
	finishSchemas(registry)
}

func documentRoutes(doc *huma.OpenAPI) {
	for path, form := range map[string][3]string{
		"/openapi.json": {"OpenAPIJSON", "application/openapi+json", huma.TypeObject},
		"/openapi.yaml": {"OpenAPIYAML", "application/openapi+yaml", huma.TypeString},
	} {
		doc.AddOperation(&huma.Operation{
			OperationID: "get" + form[0], Method: http.MethodGet, Path: path, Tags: []string{operation.TagSystem},
			Summary: "This document", Description: "OpenAPI 3.1.", Security: []map[string][]string{},
			Responses: map[string]*huma.Response{
				"200": {Description: "Success", Content: map[string]*huma.MediaType{form[1]: {
					Schema: &huma.Schema{Type: form[2]},
				}}},
				"405": operation.ErrorResponse(http.StatusMethodNotAllowed),
			},
		})
	}
}

// documentURL is the server in the documents that are stored in the repository.
const documentURL = "http://127.0.0.1:8080"

// WriteOpenAPI writes merchant.yaml (OpenAPI 3.1) and merchant-3.0.yaml into dir, and creates
// dir if it is missing. The second is the same document in 3.0.3, for generators that do not
// support 3.1.
func WriteOpenAPI(dir string) error {
	doc := API(Deps{PublicURL: documentURL}).OpenAPI()
	return web.WriteDocuments(dir, "merchant", doc, "ChargeEvent", "PayoutEvent", "PayoutSent", "PingEvent", "Pinged", "RefundEvent", "RefundData")
}
