package swap

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/go-chi/httprate"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Rating is the exchange's own rating: it demands no data from its users.
const Rating = "A"

// KeysPerDay is the default number of affiliate keys that an address gets in 24 hours.
const KeysPerDay = 3

// Deps holds the dependencies of both surfaces.
type Deps struct {
	Store    *postgres.Store
	Temporal client.Client
	Box      *secret.Box
	Index    *secret.BlindIndex
	Quoter   *exchange.Quoter
	// Explorers has the block explorer pages of addresses, which trades link to.
	Explorers exchange.Explorers
	Clock     func() time.Time
	Log       *slog.Logger
	// Ready answers /readyz: it reports whether every part that the service needs is usable.
	Ready http.Handler
	// PublicURL is the base URL that clients see, OnionURL that of the onion
	// surface or empty; both without a trailing slash.
	PublicURL, OnionURL string
	// Sanctioned reports whether one of the addresses is on the sanctions list in force.
	Sanctioned func(ctx context.Context, addresses ...string) (bool, error)
	// Window is how long a deposit may take.
	Window time.Duration
	// Wakeups sends the wakeups of new trades; nil leaves that to the workers.
	Wakeups *outbox.Queue
	// MinWait is the minimum time that a request waits for its trade; 0 means the default of
	// some seconds.
	MinWait time.Duration
	// Counter counts the requests of a bucket for the rate limits. If nil, there are no rate
	// limits, and no cap on the unpaid reservations of a client.
	Counter func(bucket string) httprate.LimitCounter
	// KeysPerDay is how many affiliate keys an address may get in 24 hours; 0 means the
	// constant KeysPerDay.
	KeysPerDay int
	// Observed is called for each answered request, with its route pattern; nil if requests
	// are not measured.
	Observed func(route string, status int, took time.Duration)
	// TrustedProxies are the networks whose X-Forwarded-For header is trusted.
	TrustedProxies []netip.Prefix
}

// Front holds the dependencies and the values that are derived from them once.
type Front struct {
	Deps

	// BalanceReader returns the balances for quotes and listings.
	BalanceReader exchange.BalanceReader

	trades   exchange.Trades
	limiters map[limit]*ratelimit.Limiter
	// affiliates limit the requests from one address with affiliate keys.
	affiliates map[Kind]*ratelimit.Limiter
	// crowds limit the requests of all callers together who come through Tor, except partners.
	crowds map[limit]*ratelimit.Limiter
	// newKeys limits the keys that an address gets in a day, newKeysTor those of all clients
	// that come through Tor.
	newKeys, newKeysTor *ratelimit.Limiter
	keysTried           *ratelimit.Credentials
}

// New returns the front of a service. Without a database it has no BalanceReader: its routes
// can be listed but must not be called.
func New(d Deps) *Front {
	f := &Front{
		Deps: d, trades: exchange.Trades{Store: d.Store, Secret: d.Box, Quoter: d.Quoter, Sanctioned: d.Sanctioned, Window: d.Window},
		limiters: newLimiters(d.Counter), affiliates: newAffiliates(d.Counter), crowds: newCrowds(d.Counter),
		keysTried: ratelimit.NewCredentials(d.Counter, "swap-made-up-keys"),
	}
	f.newKeys, f.newKeysTor = newKeyLimits(d.Counter, cmp.Or(d.KeysPerDay, KeysPerDay))
	if d.Store != nil {
		f.BalanceReader = exchange.NewRecentBalances(d.Store.Queries, d.Clock)
	}
	return f
}

// Now returns the time in the precision that answers show.
func (f *Front) Now() time.Time { return f.Clock().UTC().Truncate(time.Millisecond) }

// ParseBoolean reads True, true, False, false or the empty text, which means false.
func ParseBoolean(text string) (value, ok bool) {
	switch text {
	case "true", "True":
		return true, true
	case "false", "False", "":
		return false, true
	default:
		return false, false
	}
}
