package swap

import (
	"context"

	"github.com/durapay/durapay/api/front"
)

// Deps is everything that the API works with.
type Deps = front.Deps

// app serves the API.
type app struct{ *front.Front }

// callerOf is who sent the request.
func callerOf(ctx context.Context) front.Caller {
	c, _ := ctx.Value(callerKey).(front.Caller)
	return c
}
