package merchant

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

// fromClient is the client's address of a request.
type fromClient struct{ remote *http.Request }

// Resolve keeps the request; it never fails.
func (c *fromClient) Resolve(ctx huma.Context) []error {
	c.remote, _ = humachi.Unwrap(ctx)
	return nil
}

// none is the output of operations that answer by other means, and the input
// of those that take nothing.
type none struct{}

// step is something that happens to a request before its handler.
type step = func(ctx huma.Context, next func(huma.Context))
