package dialect

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
)

// Field describes the error in one field.
type Field struct {
	Path    string `json:"path" doc:"The field that is wrong; empty for the whole body" example:"amount"`
	Message string `json:"message" doc:"What is wrong with it, for humans" example:"amount is required"`
}

// Fields is the body of a 422.
type Fields []Field

// Refusal is the body of every other error.
type Refusal struct {
	Code    string `json:"code" doc:"What went wrong, for programs" example:"invoice-not-found"`
	Message string `json:"message" doc:"What went wrong, for humans" example:"The invoice was not found"`
	// MissingPermission is set with the code missing-permission.
	MissingPermission string `json:"missingPermission,omitempty" doc:"The permission that the key lacks; with the code missing-permission only"`
}

// Problem is an error that the client receives.
type Problem struct { //nolint:errname // an answer that is an error as well, as httpapi.Problem is
	// Status is the HTTP status.
	Status int
	// Refusal is the body, unless Fields is.
	Refusal Refusal
	// Fields is the body of a 422; nil for any other status.
	Fields Fields
	// RetryAfter is a pause after which the request may succeed; 0 for none.
	RetryAfter time.Duration
}

// Error returns the text that the client sees.
func (p *Problem) Error() string {
	if len(p.Fields) > 0 {
		return p.Fields[0].Message
	}
	return p.Refusal.Message
}

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// GetHeaders returns Retry-After if the request may succeed later.
func (p *Problem) GetHeaders() http.Header {
	return (&httpapi.Problem{RetryAfter: p.RetryAfter}).GetHeaders()
}

// MarshalJSON writes the body.
func (p *Problem) MarshalJSON() ([]byte, error) {
	if p.Fields != nil {
		return json.Marshal(p.Fields)
	}
	return json.Marshal(p.Refusal)
}

// Schema describes the body of an error other than 422.
func (p *Problem) Schema(r huma.Registry) *huma.Schema { return refusalSchema(r) }

// Invalid returns the error for an invalid field (422).
func Invalid(path, format string, args ...any) error {
	return &Problem{Status: http.StatusUnprocessableEntity, Fields: Fields{{Path: path, Message: fmt.Sprintf(format, args...)}}}
}

// NotFound returns the error for a resource that does not exist in the store (404). The
// argument what names its kind: invoice, webhook and so on.
func NotFound(what string) error {
	return &Problem{Status: http.StatusNotFound, Refusal: Refusal{Code: what + "-not-found", Message: "The " + what + " was not found"}}
}

// InvalidState returns the error for a request that the resource's state does not allow (400).
func InvalidState(format string, args ...any) error {
	return &Problem{Status: http.StatusBadRequest, Refusal: Refusal{Code: codeOf(http.StatusBadRequest), Message: fmt.Sprintf(format, args...)}}
}

// Of converts a problem of the merchants' API to this surface's format.
func Of(p *httpapi.Problem) *Problem {
	if p.Status == http.StatusBadRequest {
		return &Problem{Status: http.StatusUnprocessableEntity, Fields: Fields{{Path: p.Field, Message: p.Text}}}
	}
	told := &Problem{Status: p.Status, Refusal: Refusal{Code: codeOf(p.Status), Message: p.Text}, RetryAfter: p.RetryAfter}
	if p.Permission != "" {
		told.Refusal.Code, told.Refusal.MissingPermission = "missing-permission", p.Permission
	}
	return told
}

// codeOf returns BTCPay's code for a status, or our own code if BTCPay has none.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "invalid-state"
	case http.StatusUnauthorized:
		return "unauthenticated"
	case http.StatusForbidden:
		return "forbidden"
	case http.StatusNotFound:
		return "not-found"
	case http.StatusMethodNotAllowed:
		return "method-not-allowed"
	case http.StatusTooManyRequests:
		return "too-many-requests"
	case http.StatusServiceUnavailable:
		return "service-unavailable"
	default:
		return "internal-error"
	}
}
