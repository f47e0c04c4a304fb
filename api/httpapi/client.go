package httpapi

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

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
