package request

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// FromClient is the client's address of a request.
type FromClient struct{ Remote *http.Request }

// Resolve keeps the request; it never fails.
func (c *FromClient) Resolve(ctx huma.Context) []error {
	c.Remote, _ = humachi.Unwrap(ctx)
	return nil
}

// None is the output of operations that answer by other means, and the input
// of those that take nothing.
type None struct{}

// Step is something that happens to a request before its handler.
type Step = func(ctx huma.Context, next func(huma.Context))
