package merchant

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/internal/webhook"
)

// documentTitle names the API in its documents.
const documentTitle = "Durapay merchant API"

// Names of the security schemes.
const (
	securityKey = "apiKey"
	securityJWT = "session"
)

// Tags group operations.
const (
	tagAuth     = "Authentication"
	tagAccount  = "Account"
	tagCharges  = "Charges"
	tagRequests = "Payment requests"
	tagWebhooks = "Webhooks"
	tagPayouts  = "Payouts"
	tagReports  = "Reports"
	tagPrice    = "Price"
	tagSwaps    = "Swaps"
	tagAdmin    = "Administration"
	tagSystem   = "System"
)

const introduction = `Accepts Monero payments for merchants.

Every path below ` + "`/api/`" + ` answers under ` + "`/api/v1/`" + ` as well, byte for byte the same.
Amounts are exact decimals: fiat with at most 2 decimals, XMR with at most 12. Timestamps are ISO 8601 in UTC with
milliseconds; inputs may carry an offset. A field without a value is null. The body of every error is
` + "`{\"error\": <string>}`" + `; branch on the status, the text is for humans. Each answer carries ` + "`X-Request-Id`" + `.
HEAD works wherever GET does.`

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
					securityKey: {
						Type: "apiKey", In: "header", Name: "x-api-key",
						Description: "cm_live_ (production) or cm_test_ (sandbox) and 48 hex digits. A key sees its own mode only.",
					},
					securityJWT: {
						Type: "http", Scheme: "bearer", BearerFormat: "JWT",
						Description: "Session token from login or signup, valid for 7 days.",
					},
				},
			},
		},
		Formats:       map[string]huma.Format{jsonType: jsonFormat()},
		DefaultFormat: jsonType,
	}
}

func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagAuth, Description: "Accounts and session tokens."},
		{Name: tagAccount, Description: "Settings of the account."},
		{Name: tagCharges, Description: "Requests for payment, each with an address of its own."},
		{Name: tagRequests, Description: "Links to share, from which a charge is made when they are visited."},
		{Name: tagWebhooks, Description: "Signed events and the log of their deliveries."},
		{Name: tagPayouts, Description: "What confirmed charges have brought in, and its way to the merchant."},
		{Name: tagReports, Description: "Confirmed charges and payouts of a period, for bookkeeping."},
		{Name: tagPrice, Description: "The price of XMR."},
		{Name: tagSwaps, Description: "Exchange of coins by swap providers. The service never holds the coins."},
		{Name: tagAdmin, Description: "For operators: session tokens of accounts that the command line made admins."},
		{Name: tagSystem, Description: "Probes and documents."},
	}
}

// errorTexts says what a status means here.
func errorTexts() map[int]string {
	return map[int]string{
		http.StatusBadRequest:          "Invalid or missing parameter",
		http.StatusUnauthorized:        "Missing or invalid credential",
		http.StatusForbidden:           "Valid credential without permission, or an address that is blocked",
		http.StatusNotFound:            "Not found, or not owned by the caller",
		http.StatusMethodNotAllowed:    "This path does not have this method",
		http.StatusGone:                "The link is inactive, expired or already paid",
		http.StatusLocked:              "Account temporarily locked after repeated failed logins",
		http.StatusTooManyRequests:     "Rate limited",
		http.StatusInternalServerError: "Server error; retry with backoff",
		http.StatusServiceUnavailable:  "A part of the service is not usable, or it is in safe mode until an operator has looked at it",
	}
}

func errorResponse(status int) *huma.Response {
	response := &huma.Response{
		Description: errorTexts()[status],
		Content: map[string]*huma.MediaType{jsonType: {
			Schema:  &huma.Schema{Ref: "#/components/schemas/Error"},
			Example: map[string]string{"error": errorTexts()[status]},
		}},
	}
	switch status {
	case http.StatusTooManyRequests, http.StatusLocked, http.StatusInternalServerError, http.StatusServiceUnavailable:
		response.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger},
		}}
	}
	return response
}

// describe gives an answer that is written by hand its schema.
func describe[T any](api huma.API, op *huma.Operation, contentType string) {
	content := op.Responses["200"].Content
	if content[contentType] == nil {
		content[contentType] = &huma.MediaType{}
	}
	content[contentType].Schema = api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// finishDocument adds what does not follow from the operations.
func finishDocument(api huma.API) {
	doc := api.OpenAPI()
	registry := doc.Components.Schemas
	registry.Schema(reflect.TypeFor[problem](), true, "")
	delete(registry.Map(), "ErrorModel") // Huma's own, which no operation answers with
	delete(registry.Map(), "ErrorDetail")
	documentRoutes(doc)
	doc.Webhooks = webhookDocuments(registry)
	finishSchemas(registry)
}

// documentRoutes describes the routes of the documents themselves.
func documentRoutes(doc *huma.OpenAPI) {
	for path, form := range map[string][3]string{
		"/openapi.json": {"OpenAPIJSON", "application/openapi+json", huma.TypeObject},
		"/openapi.yaml": {"OpenAPIYAML", "application/openapi+yaml", huma.TypeString},
	} {
		doc.AddOperation(&huma.Operation{
			OperationID: "get" + form[0], Method: http.MethodGet, Path: path, Tags: []string{tagSystem},
			Summary: "This document", Description: "OpenAPI 3.1.", Security: []map[string][]string{},
			Responses: map[string]*huma.Response{
				"200": {Description: "Success", Content: map[string]*huma.MediaType{form[1]: {
					Schema: &huma.Schema{Type: form[2]},
				}}},
				"405": errorResponse(http.StatusMethodNotAllowed),
			},
		})
	}
}

func webhookDocuments(r huma.Registry) map[string]*huma.PathItem {
	all := map[string]*huma.PathItem{}
	for _, event := range append(webhook.Events(), webhook.EventPing) {
		schema := r.Schema(reflect.TypeFor[chargeEvent](), true, "")
		switch event {
		case webhook.EventPayoutSent:
			schema = r.Schema(reflect.TypeFor[payoutEvent](), true, "")
		case webhook.EventPing:
			schema = r.Schema(reflect.TypeFor[pingEvent](), true, "")
		}
		all[event] = &huma.PathItem{Post: &huma.Operation{
			OperationID: "on" + eventName(event), Summary: event, Tags: []string{tagWebhooks},
			Description: "Signed with the webhook's secret: " + webhook.SignatureHeader + " is the lowercase hex " +
				"HMAC-SHA256 of the raw body. Answer 2xx; anything else is tried again after 5 and after 10 seconds.",
			Security: []map[string][]string{},
			Parameters: []*huma.Param{{
				Name: webhook.SignatureHeader, In: "header", Required: true, Description: "Signature, 64 hex digits",
				Schema: &huma.Schema{Type: huma.TypeString},
			}},
			RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{jsonType: {Schema: schema}}},
			Responses: map[string]*huma.Response{
				"200": {Description: "The event was received"},
				"400": {Description: "Not accepted; it is tried again"},
			},
		}}
	}
	return all
}
