package swap

import (
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/wire"
)

const (
	// documentTitle names the API in its documents.
	documentTitle = "Durapay swap exchange API"
	// documentURL is the server in the documents of the repository.
	documentURL = "http://127.0.0.1:8081"
	securityKey = "apiKey"
)

// Tags group operations.
const (
	tagTrades   = "Trades"
	tagListings = "Listings"
	tagSystem   = "System"
)

const introduction = `Swaps one coin for another at a floating rate that is locked when the trade is made.

All calls are GET with query parameters. Amounts are decimal strings in the coin's own unit, exact to its last decimal.
Timestamps are ISO 8601 in UTC with milliseconds. A field without a value is null. The body of every error is
` + "`{\"error\": {\"code\", \"message\", \"details\"}}`" + `; branch on the code. Every answer carries
` + "`X-SWAP-API-Version: 1`" + `, ` + "`X-Request-Id`" + ` and, where there is an onion surface, ` + "`Onion-Location`" + `.
Calls without a key are limited to 60 reads and 6 writes a minute, affiliates to 300 and 30, partners to 6000 and 600.
HEAD works wherever GET does; another method of a path that exists is a 405 ` + "`method_not_allowed`" + ` with ` + "`Allow`" + `.

A parameter that is given twice is a 400 ` + "`invalid_parameter`" + `, and so are different keys in one request (` + "`details.parameter`" + ` names
what is wrong, ` + "`API-Key`" + ` for those). The same key twice, or in both headers, is one. An unknown key is a 401, before any
parameter is judged. Parameters that are not known are ignored. A 422 of an amount carries ` + "`your_amount_from`" + ` and
` + "`min_amount_from`" + ` or ` + "`max_amount_from`" + ` in its details. Reads and writes are counted in a window of a minute that slides; one too
many is a 429 with ` + "`Retry-After`" + `.`

// WriteOpenAPI writes swap.yaml (OpenAPI 3.1) and swap-3.0.yaml, the same document in 3.0.3,
// into dir.
func WriteOpenAPI(dir string) error {
	return web.WriteDocuments(dir, "swap", API(Deps{PublicURL: documentURL}).OpenAPI(), "TradeEvent")
}

func newConfig(publicURL string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: documentTitle, Version: "1.0.0", Description: introduction},
			Servers: []*huma.Server{{URL: publicURL, Description: "This service"}},
			Tags: []*huma.Tag{
				{Name: tagTrades, Description: "Quotes, swaps and what they bring in."},
				{Name: tagListings, Description: "What can be swapped."},
				{Name: tagSystem, Description: "Probes and documents."},
			},
			Components: &huma.Components{
				Schemas: newRegistry(),
				SecuritySchemes: map[string]*huma.SecurityScheme{securityKey: {
					Type: "apiKey", In: "header", Name: "API-Key",
					Description: "aff_ (affiliate) or prt_ (partner) and 48 hex digits; X-SWAP-API-Key is taken as well. Different keys in one request are a 400.",
				}},
			},
		},
		Formats:       map[string]huma.Format{jsonType: {Marshal: exchangeapi.EncodeJSON}},
		DefaultFormat: jsonType,
	}
}

// timestampSchema describes times.
type timestampSchema struct{}

// Schema implements huma.SchemaProvider.
func (timestampSchema) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

func newRegistry() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
		name := huma.DefaultSchemaNamer(t, hint)
		if known, ok := map[string]string{"ErrorBody": "Error", "Event": "TradeEvent"}[name]; ok {
			return known
		}
		return name
	})
	r.RegisterTypeAlias(reflect.TypeFor[wire.Time](), reflect.TypeFor[timestampSchema]())
	return r
}

// errorTexts returns the meaning of each status.
func errorTexts() map[int]string {
	return map[int]string{
		http.StatusBadRequest:          "invalid_parameter: missing or malformed; idempotency_conflict: the key was used with other parameters",
		http.StatusUnauthorized:        "unauthorized: unknown key, or wrong password",
		http.StatusNotFound:            "pair_not_supported, trade_not_found or not_found",
		http.StatusMethodNotAllowed:    "method_not_allowed",
		http.StatusUnprocessableEntity: "amount_below_min, amount_above_max, address_invalid or address_blocked",
		http.StatusTooManyRequests:     "rate_limit_exceeded",
		http.StatusInternalServerError: "internal_error; retry with backoff",
		http.StatusServiceUnavailable:  "no_route_available, route_unavailable, pricing_stale or fixed_rate_unsupported",
	}
}

func errorResponse(status int) *huma.Response {
	code, _, _ := strings.Cut(errorTexts()[status], ":")
	code, _, _ = strings.Cut(code, ",")
	code, _, _ = strings.Cut(code, ";")
	response := &huma.Response{
		Description: errorTexts()[status], Headers: versionHeader(),
		Content: map[string]*huma.MediaType{jsonType: {
			Schema:  &huma.Schema{Ref: "#/components/schemas/Error"},
			Example: errorBody{errorObject{code, errorTexts()[status], map[string]string{}}},
		}},
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable:
		response.Headers["Retry-After"] = &huma.Param{Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger}}
	}
	return response
}

func versionHeader() map[string]*huma.Param {
	return map[string]*huma.Param{"X-SWAP-API-Version": {
		Description: "Always 1", Schema: &huma.Schema{Type: huma.TypeString, Examples: []any{"1"}},
	}}
}

// finishDocument adds the parts of the document that the operations do not determine.
func finishDocument(api huma.API) {
	doc := api.OpenAPI()
	registry := doc.Components.Schemas
	registry.Schema(reflect.TypeFor[errorBody](), true, "")
	delete(registry.Map(), "ErrorModel") // Huma's own, which no operation answers with
	delete(registry.Map(), "ErrorDetail")
	documentRoutes(doc)
	doc.Webhooks = map[string]*huma.PathItem{trade.EventName: statusWebhook(registry)}
	finishSchemas(registry)
	limits := doc.Paths["/api/v1/limits"].Get.Responses["200"].Content[jsonType]
	limits.Schema = &huma.Schema{OneOf: []*huma.Schema{
		registry.Schema(reflect.TypeFor[limitEntry](), true, ""), registry.Schema(reflect.TypeFor[limitList](), true, ""),
	}}
}

// documentRoutes describes the routes of the documents themselves.
func documentRoutes(doc *huma.OpenAPI) {
	for path, form := range map[string][2]string{
		"/openapi.json": {"OpenAPIJSON", "application/openapi+json"},
		"/openapi.yaml": {"OpenAPIYAML", "application/openapi+yaml"},
	} {
		doc.AddOperation(&huma.Operation{
			OperationID: "get" + form[0], Method: http.MethodGet, Path: path, Tags: []string{tagSystem},
			Summary: "This document", Description: "OpenAPI 3.1.", Security: []map[string][]string{},
			Responses: map[string]*huma.Response{
				"200": {Description: "Success", Content: map[string]*huma.MediaType{form[1]: {Schema: &huma.Schema{Type: huma.TypeString}}}},
				"405": errorResponse(http.StatusMethodNotAllowed),
			},
		})
	}
}

// statusWebhook describes the webhook that partners receive.
func statusWebhook(r huma.Registry) *huma.PathItem {
	header := func(name, text string) *huma.Param {
		return &huma.Param{Name: name, In: "header", Required: true, Description: text, Schema: &huma.Schema{Type: huma.TypeString}}
	}
	return &huma.PathItem{Post: &huma.Operation{
		OperationID: "onSwapStatusChanged", Summary: "The status of a trade changed", Tags: []string{tagTrades},
		Description: "Sent to the webhook_url of the trade for every transition, in order unless one is being retried. Answer 2xx; " +
			"anything else is tried again after 10 seconds, doubling to at most an hour, for 24 hours. Retries carry the same " +
			"bytes: de-duplicate on id, status and occurred_at.",
		Security: []map[string][]string{},
		Parameters: []*huma.Param{
			header(trade.EventHeader, trade.EventName),
			header(trade.SignatureHeader, "Lowercase hex HMAC-SHA256 of the raw body, keyed by the text of the partner's secret"),
		},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			jsonType: {Schema: r.Schema(reflect.TypeFor[trade.Event](), true, "")},
		}},
		Responses: map[string]*huma.Response{
			"200": {Description: "The event was received"}, "400": {Description: "Not accepted; it is tried again"},
		},
	}}
}

// finishSchemas adds a fact that Huma cannot see: pointers may be null.
func finishSchemas(r huma.Registry) {
	for name, s := range r.Map() {
		s.AdditionalProperties = nil
		t := r.TypeFromRef("#/components/schemas/" + name)
		if t == nil || t.Kind() != reflect.Struct {
			continue
		}
		for _, f := range reflect.VisibleFields(t) {
			jsonName, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if property := s.Properties[jsonName]; property != nil {
				property.Nullable = f.Type.Kind() == reflect.Pointer
			}
		}
	}
}
