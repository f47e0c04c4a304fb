package swap

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// Deps is everything that the API works with.
type Deps struct {
	Store    *postgres.Store
	Temporal client.Client
	Box      *secret.Box
	Index    *secret.BlindIndex
	Desk     *exchange.Desk
	Clock    func() time.Time
	Log      *slog.Logger
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
	// PublicURL is the base URL that clients see, OnionURL that of the onion
	// surface or empty; both without a trailing slash.
	PublicURL, OnionURL string
	// Counter counts the requests of a bucket for the rate limits; nil turns
	// them off, and with them the cap on what one client keeps without a deposit.
	Counter func(bucket string) httprate.LimitCounter
	// Observed is told of each request that was answered, by route pattern; nil
	// when nobody counts.
	Observed func(route string, status int, took time.Duration)
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// app is the dependencies with what is made of them once.
type app struct {
	Deps

	engine   engine
	limiters map[limit]*httprate.RateLimiter
}

func newApp(d Deps) *app {
	return &app{Deps: d, engine: engine{d.Temporal}, limiters: newLimiters(d.Counter)}
}

func (a *app) now() time.Time { return a.Clock().UTC().Truncate(time.Millisecond) }

// callerOf is who sent the request.
func callerOf(ctx context.Context) caller {
	c, _ := ctx.Value(callerKey).(caller)
	return c
}
