package greenfield

import (
	"fmt"
	"net/http"

	"github.com/durapay/durapay/api/httpapi"
)

// Field describes the error in one field. A list of them is the body of a 422.
type Field struct {
	Path    string `json:"path" doc:"The field that is wrong; empty for the whole body" example:"amount"`
	Message string `json:"message" doc:"What is wrong with it, for humans" example:"amount is required"`
}

// Refusal is the body of every other error.
type Refusal struct {
	Code    string `json:"code" doc:"What went wrong, for programs" example:"invoice-not-found"`
	Message string `json:"message" doc:"What went wrong, for humans" example:"The invoice was not found"`
	// MissingPermission is set with the code missing-permission.
	MissingPermission string `json:"missingPermission,omitempty" doc:"The permission that the key lacks; with the code missing-permission only"`
}

// invalid returns the error for an invalid field (422).
func invalid(path, format string, args ...any) error {
	return &httpapi.Problem{Status: http.StatusUnprocessableEntity, Field: path, Text: fmt.Sprintf(format, args...)}
}

// notFound returns the error for a resource that does not exist in the store (404). The
// argument what names its kind: invoice, webhook and so on.
func notFound(what string) error {
	return &httpapi.Problem{Status: http.StatusNotFound, Code: what + "-not-found", Text: "The " + what + " was not found"}
}

// invalidState returns the error for a request that the resource's state does not allow (400).
func invalidState(text string) error {
	return &httpapi.Problem{Status: http.StatusBadRequest, Code: "invalid-state", Text: text}
}

// missing returns notFound for the error that a resource does not exist, and any other error
// unchanged.
func missing(err error, what string) error {
	if p := httpapi.ProblemOf(err); p != nil && p.Status == http.StatusNotFound {
		return notFound(what)
	}
	return err
}

// form returns the status and the body of a problem in this surface's format. It is the Body of
// httpapi.Errors.
func form(p *httpapi.Problem) (status int, body any) {
	switch {
	case p.Permission != "":
		return p.Status, Refusal{"missing-permission", p.Text, p.Permission}
	case p.Code != "":
		return p.Status, Refusal{Code: p.Code, Message: p.Text}
	case p.Status == http.StatusBadRequest, p.Status == http.StatusUnprocessableEntity:
		return http.StatusUnprocessableEntity, []Field{{p.Field, p.Text}}
	default:
		return p.Status, Refusal{Code: codeOf(p.Status), Message: p.Text}
	}
}

// codeOf returns BTCPay's code for a status, or our own code if BTCPay has none.
func codeOf(status int) string {
	switch status {
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

// refuse answers with a problem outside of the routes.
func refuse(w http.ResponseWriter, status int, text string) {
	httpapi.Errors{Body: form}.Write(w, &httpapi.Problem{Text: text, Status: status})
}
