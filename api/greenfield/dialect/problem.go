package dialect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
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

// Errors converts the errors of this surface to answers.
type Errors struct{ httpapi.Errors }

// Of returns the answer to an error. Unknown errors are logged and hidden, as in
// httpapi.Errors.
func (e Errors) Of(ctx context.Context, err error) *Problem {
	if known, ok := errors.AsType[*Problem](err); ok {
		return known
	}
	return Of(e.Errors.Of(ctx, err))
}

// Body returns the status and body for a problem of the merchants' API in this surface's
// format. It is the Body of httpapi.Errors.
func Body(p *httpapi.Problem) (status int, body any) {
	told := Of(p)
	return told.Status, told
}

// Write answers a problem outside of Huma.
func Write(w http.ResponseWriter, p *httpapi.Problem) {
	(&httpapi.Problem{Status: p.Status, RetryAfter: p.RetryAfter}).WriteAs(w, Of(p))
}

func refusalSchema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[Refusal](), true, "")
}

// Response documents an error by its status. The schemas Refusal and Field must
// be registered.
func Response(status int) *huma.Response {
	text := textOf(status)
	schema, example := &huma.Schema{Ref: "#/components/schemas/Refusal"}, any(Refusal{Code: codeOf(status), Message: text})
	if status == http.StatusUnprocessableEntity {
		schema = &huma.Schema{Type: huma.TypeArray, Items: &huma.Schema{Ref: "#/components/schemas/Field"}}
		example = Fields{{Path: "amount", Message: "amount is required"}}
	}
	response := &huma.Response{Description: text, Content: map[string]*huma.MediaType{httpapi.JSON: {Schema: schema, Example: example}}}
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusServiceUnavailable:
		response.Headers = map[string]*huma.Param{"Retry-After": {
			Description: "Seconds to wait", Schema: &huma.Schema{Type: huma.TypeInteger},
		}}
	}
	return response
}

func textOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return "Not possible as it stands"
	case http.StatusUnauthorized:
		return "No key, or one that is not valid"
	case http.StatusForbidden:
		return "The key does not cover what the route needs, or the store is not its own"
	case http.StatusNotFound:
		return "Not found in this store"
	case http.StatusUnprocessableEntity:
		return "A field is missing or wrong"
	case http.StatusTooManyRequests:
		return "Rate limited"
	case http.StatusServiceUnavailable:
		return "A part of the service is not usable"
	default:
		return "Server error; retry with backoff"
	}
}
