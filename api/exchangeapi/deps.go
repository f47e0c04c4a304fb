package exchangeapi

import (
	"cmp"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Rating is what the exchange demands of its users: nothing.
const Rating = "A"

// KeysPerDay is how many affiliate keys an address gets in 24 hours where
// nothing else is set.
const KeysPerDay = 3

// Deps is everything that the surfaces work with.
type Deps struct {
	Store    *postgres.Store
	Temporal client.Client
	Box      *secret.Box
	Index    *secret.BlindIndex
	Quoter   *exchange.Quoter
	// Explorers are the pages of addresses that trades link to.
	Explorers exchange.Explorers
	Clock     func() time.Time
	Log       *slog.Logger
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
	// PublicURL is the base URL that clients see, OnionURL that of the onion
	// surface or empty; both without a trailing slash.
	PublicURL, OnionURL string
	// Patience is the least that a request waits for its trade; 0 leaves it at
	// what is usual, which is some seconds.
	Patience time.Duration
	// Counter counts the requests of a bucket for the rate limits; nil turns
	// them off, and with them the cap on what one client keeps without a deposit.
	Counter func(bucket string) httprate.LimitCounter
	// KeysPerDay is how many affiliate keys an address may get in 24 hours; 0
	// stands for the constant.
	KeysPerDay int
	// Observed is told of each request that was answered, by route pattern; nil
	// when nobody counts.
	Observed func(route string, status int, took time.Duration)
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
}

// Front is the dependencies with what is made of them once.
type Front struct {
	Deps

	// BalanceReader are what quotes and listings go by.
	BalanceReader exchange.BalanceReader

	limiters map[limit]*ratelimit.Limiter
	// affiliates bound what is done from one address with keys of affiliates.
	affiliates map[Kind]*ratelimit.Limiter
	// crowds bound what callers do together who come through Tor, but partners.
	crowds map[limit]*ratelimit.Limiter
	// newKeys bounds the keys that an address gets in a day, newKeysTor those of
	// all who come through Tor.
	newKeys, newKeysTor *ratelimit.Limiter
	keysTried           *ratelimit.Credentials
}

// New makes the front of a service. One without a database has no books: its
// routes can be listed, and must not be called.
func New(d Deps) *Front {
	f := &Front{
		Deps: d, limiters: newLimiters(d.Counter), affiliates: newAffiliates(d.Counter), crowds: newCrowds(d.Counter),
		keysTried: ratelimit.NewCredentials(d.Counter, "swap-made-up-keys"),
	}
	f.newKeys, f.newKeysTor = newKeyLimits(d.Counter, cmp.Or(d.KeysPerDay, KeysPerDay))
	if d.Store != nil {
		f.BalanceReader = exchange.NewRecentBalances(d.Store.Queries, d.Clock)
	}
	return f
}

// Now is the time in the precision that is shown.
func (f *Front) Now() time.Time { return f.Clock().UTC().Truncate(time.Millisecond) }
