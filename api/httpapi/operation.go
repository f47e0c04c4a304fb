package httpapi

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// JSON is the media type of JSON.
const JSON = "application/json"

// Out is an answer with a JSON body.
type Out[T any] struct{ Body T }

// With returns an answer with a value, or the error if there is one.
func With[T any](v T, err error) (*Out[T], error) {
	if err != nil {
		return nil, err
	}
	return &Out[T]{v}, nil
}

// OK is the body of an answer that only confirms that the request succeeded.
type OK struct {
	OK bool `json:"ok" doc:"Always true"`
}

// Done returns the answer OK, or the error if there is one.
func Done(err error) (*Out[OK], error) { return With(OK{OK: true}, err) }

// Write writes a value as the API's JSON: exact numbers, and no HTML escapes in texts.
func Write(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// FromClient is an input with the request itself, from which a handler gets the client's
// address.
type FromClient struct{ remote *http.Request }

// Remote returns the request as it arrived.
func (c *FromClient) Remote() *http.Request { return c.remote }

// Resolve stores the request. It never fails.
func (c *FromClient) Resolve(ctx huma.Context) []error {
	c.remote, _ = humachi.Unwrap(ctx)
	return nil
}

// None is the input of operations without parameters.
type None struct{}

// Step runs before a request's handler.
type Step = func(ctx huma.Context, next func(huma.Context))
