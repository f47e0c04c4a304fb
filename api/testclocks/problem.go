package testclocks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/merchant/answer"
)

// detail is what Stripe's clients read of an error.
type detail struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Param   string `json:"param,omitempty"`
	Type    string `json:"type"`
}

// Stripe's types of errors.
const (
	invalidRequest  = "invalid_request_error"
	idempotencyType = "idempotency_error"
	apiError        = "api_error"
)

// problem is an error that a client is told about.
type problem struct {
	status     int
	detail     detail
	retryAfter time.Duration
}

func (p *problem) Error() string { return p.detail.Message }

// GetStatus is the HTTP status.
func (p *problem) GetStatus() int { return p.status }

// GetHeaders carries Retry-After where there is something to wait for.
func (p *problem) GetHeaders() http.Header {
	return (&answer.Problem{RetryAfter: p.retryAfter}).GetHeaders()
}

// MarshalJSON writes the body.
func (p *problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]detail{"error": p.detail})
}

// invalid refuses a parameter (400). code may be empty.
func invalid(param, code, format string, args ...any) error {
	return &problem{status: http.StatusBadRequest, detail: detail{
		Code: code, Message: fmt.Sprintf(format, args...), Param: param, Type: invalidRequest,
	}}
}

// missing says that the merchant has no such clock (404); param names what named it.
func missing(param, id string) error {
	return &problem{status: http.StatusNotFound, detail: detail{
		Code: "resource_missing", Message: "No such test clock: '" + id + "'", Param: param, Type: invalidRequest,
	}}
}

// of is what a client is told of an error; what it does not know is logged and hidden.
func of(ctx context.Context, errs answer.Errors, err error) *problem {
	if known, ok := errors.AsType[*problem](err); ok {
		return known
	}
	return told(errs.Of(ctx, err))
}

// told is a problem of our own API in Stripe's shape.
func told(p *answer.Problem) *problem {
	out := &problem{status: p.Status, retryAfter: p.RetryAfter, detail: detail{Message: p.Text, Param: p.Field, Type: invalidRequest}}
	switch {
	case p.Status >= http.StatusInternalServerError:
		out.detail.Type = apiError
	case p.Status == http.StatusNotFound:
		out.detail.Code = "resource_missing"
	case p.Status == http.StatusTooManyRequests:
		out.detail.Code = "rate_limit"
	}
	return out
}

// body is the Body of answer.Errors.
func body(p *answer.Problem) (status int, body any) {
	out := told(p)
	return out.status, out
}

// NotFound answers a path of the surface that has no route.
func NotFound(w http.ResponseWriter, r *http.Request) {
	write(w, http.StatusNotFound, "Unrecognized request URL ("+r.Method+": "+r.URL.Path+")")
}

// MethodNotAllowed answers a method that a path of the surface does not have.
func MethodNotAllowed(w http.ResponseWriter, r *http.Request) {
	write(w, http.StatusMethodNotAllowed, "Unrecognized request method ("+r.Method+": "+r.URL.Path+")")
}

func write(w http.ResponseWriter, status int, text string) {
	(&answer.Problem{Status: status}).WriteAs(w, &problem{status: status, detail: detail{Message: text, Type: invalidRequest}})
}
