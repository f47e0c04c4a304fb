package swap

import (
	_ "embed"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/trade"
)

// operations has the texts and the examples of all operations.
//
//go:embed operations.json
var operations []byte

// documentURL is the server in the documents of the repository.
const documentURL = "http://127.0.0.1:8081"

// WriteOpenAPI writes swap.yaml (OpenAPI 3.1) and swap-3.0.yaml, the same document in 3.0.3,
// into dir.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "swap", API(Deps{PublicURL: documentURL}).OpenAPI(), eventSchema)
}

// eventSchema is the schema that only the webhook uses.
const eventSchema = "TradeEvent"

// schemaName returns the name of a schema. Types that clients know by another name get that
// name.
func schemaName(t reflect.Type, hint string) string {
	switch name := huma.DefaultSchemaNamer(t, hint); name {
	case "ErrorBody":
		return "Error"
	case "Event":
		return eventSchema
	default:
		return name
	}
}

// finishDocument adds the parts of the document that the operations do not determine.
func finishDocument(api operation.API) {
	operation.Describe[createdTrade](api, atNewTrade, http.StatusCreated, httpapi.JSON)
	operation.Describe[readiness](api, atReady, http.StatusOK, httpapi.JSON)
	// The refusal of readyz is the only one that does not have the error format.
	unready := operation.Describe[readiness](api, atReady, http.StatusServiceUnavailable, httpapi.JSON).Responses["503"]
	unready.Description = "A part that requests need is not usable"
	unready.Content[httpapi.JSON].Example = readiness{
		"unavailable", map[string]string{"postgres": "ok", "temporal": "ok", "wallet": "failing", "price": "ok"}, "not ready: wallet",
	}
	delete(unready.Headers, "Retry-After")

	doc := api.OpenAPI()
	schemas := doc.Components.Schemas
	api.Surface.DocumentItself(doc, huma.TypeString)
	doc.Webhooks = map[string]*huma.PathItem{trade.EventName: statusWebhook(schemas)}
	operation.FinishSchemas(schemas, reflect.TypeFor[errorBody]())
	operation.FinishNullable(schemas)
	api.Documented(atLimits).Responses["200"].Content[httpapi.JSON].Schema = &huma.Schema{OneOf: []*huma.Schema{
		schemas.Schema(reflect.TypeFor[limitEntry](), true, ""), schemas.Schema(reflect.TypeFor[limitList](), true, ""),
	}}
}

// statusWebhook describes the webhook that partners receive.
func statusWebhook(r huma.Registry) *huma.PathItem {
	return operation.Event(huma.Operation{
		OperationID: "onSwapStatusChanged", Summary: "The status of a trade changed", Tags: []string{"Trades"},
		Description: "Sent to the webhook_url of the trade for every transition, in order unless one is being retried. Answer 2xx; " +
			"anything else is tried again after 10 seconds, doubling to at most an hour, for 24 hours. Retries carry the same " +
			"bytes: de-duplicate on id, status and occurred_at.",
	}, r.Schema(reflect.TypeFor[trade.Event](), true, ""), map[string]string{
		trade.EventHeader:     trade.EventName,
		trade.SignatureHeader: "Lowercase hex HMAC-SHA256 of the raw body, keyed by the text of the partner's secret",
	})
}
