package swap

import (
	"context"

	"github.com/durapay/durapay/api/exchangeapi"
)

// Deps is everything that the API works with.
type Deps = exchangeapi.Deps

// app serves the API.
type app struct{ *exchangeapi.Front }

// callerOf is who sent the request.
func callerOf(ctx context.Context) exchangeapi.Caller {
	c, _ := ctx.Value(callerKey).(exchangeapi.Caller)
	return c
}
