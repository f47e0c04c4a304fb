package operation

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
)

// DescribeForm documents the bodies and answers of an operation that takes a form.
func DescribeForm[T any](api huma.API, path string) {
	op := api.OpenAPI().Paths[path].Post
	op.RequestBody.Content[httpapi.FormType] = &huma.MediaType{Schema: op.RequestBody.Content[httpapi.JSON].Schema}
	Describe[T](api, op, httpapi.JSON)
	delete(op.Responses["200"].Headers, "Location")
	op.Responses["303"] = &huma.Response{
		Description: "Answer to a form: the page of the charge",
		Headers: map[string]*huma.Param{"Location": {
			Description: "Path of the page", Schema: &huma.Schema{Type: huma.TypeString},
		}},
	}
}

// errorTexts returns the description of each error status.
func errorTexts() map[int]string {
	return map[int]string{
		http.StatusBadRequest:          "Invalid or missing parameter",
		http.StatusUnauthorized:        "Missing or invalid credential",
		http.StatusForbidden:           "Valid credential without permission, or an address that is blocked",
		http.StatusNotFound:            "Not found, or not owned by the caller",
		http.StatusMethodNotAllowed:    "This path does not have this method",
		http.StatusConflict:            "Not as it is now",
		http.StatusGone:                "The link is inactive, expired or already paid",
		http.StatusLocked:              "Account temporarily locked after repeated failed logins",
		http.StatusTooManyRequests:     "Rate limited",
		http.StatusInternalServerError: "Server error; retry with backoff",
		http.StatusServiceUnavailable:  "A part of the service is not usable, or it is in safe mode until an operator has looked at it",
	}
}

// ErrorResponse documents the error answer of a status.
func ErrorResponse(status int) *huma.Response {
	response := &huma.Response{
		Description: errorTexts()[status],
		Content: map[string]*huma.MediaType{httpapi.JSON: {
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

// Describe sets the schema of an answer that is not generated from its Go type.
func Describe[T any](api huma.API, op *huma.Operation, contentType string) {
	content := op.Responses["200"].Content
	if content[contentType] == nil {
		content[contentType] = &huma.MediaType{}
	}
	content[contentType].Schema = api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")
}

// stepUpResponse documents the 403 of operations that ask for the password again.
func stepUpResponse() *huma.Response {
	response := ErrorResponse(http.StatusForbidden)
	response.Description += "; or, with WWW-Authenticate, the password must be given again: `POST /api/auth/step-up`"
	response.Headers = map[string]*huma.Param{"WWW-Authenticate": {
		Description: "There when the password must be given again: " + httpapi.StepUpChallenge, Schema: &huma.Schema{Type: huma.TypeString},
	}}
	return response
}

// These are the names of the security schemes.
const (
	SecurityKey = "apiKey"
	SecurityJWT = "session"
)

// Tags group operations.
const (
	TagAuth     = "Authentication"
	TagAccount  = "Account"
	TagCharges  = "Charges"
	TagRequests = "Payment requests"
	TagWebhooks = "Webhooks"
	TagPayouts  = "Payouts"
	TagRefunds  = "Refunds"
	TagReports  = "Reports"
	TagPrice    = "Price"
	TagSwaps    = "Swaps"
	TagAdmin    = "Administration"
	TagSandbox  = "Sandbox"
	TagSystem   = "System"
)
