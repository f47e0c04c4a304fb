package swap

import (
	"context"

	"github.com/durapay/durapay/api/exchangeapi"
)

// Deps holds the dependencies of the API.
type Deps = exchangeapi.Deps

// app serves the API.
type app struct{ *exchangeapi.Front }

// callerOf returns the sender of the request.
func callerOf(ctx context.Context) exchangeapi.Caller {
	c, _ := ctx.Value(callerKey).(exchangeapi.Caller)
	return c
}
