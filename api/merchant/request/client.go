package request

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// FromClient is an input that knows the request itself, for the client's address.
type FromClient struct{ remote *http.Request }

// Remote is the request as it came.
func (c *FromClient) Remote() *http.Request { return c.remote }

// Resolve keeps the request; it never fails.
func (c *FromClient) Resolve(ctx huma.Context) []error {
	c.remote, _ = humachi.Unwrap(ctx)
	return nil
}

// None is the input of operations that take nothing.
type None struct{}

// Step is something that happens to a request before its handler.
type Step = func(ctx huma.Context, next func(huma.Context))
