package limits

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Limit names a rate limit. Operations with the same one share its bucket.
type Limit string

// The rate limits; Other is that of operations that name none.
const (
	Other  Limit = ""
	Auth   Limit = "auth"
	Create Limit = "create"
	QR     Limit = "qr"
	Public Limit = "public"
	// Mail is for what sends mails to an address that a merchant names.
	Mail Limit = "mail"
	// Knock is for all that has the service send requests to receivers on demand: test
	// events, redeliveries and events that are brought about. It counts by merchant.
	Knock Limit = "knock"
	// Refused is for actions of people that were refused and are written down: of a shop,
	// in a day.
	Refused Limit = "refused"
	// Password is for passwords that a session is asked for, Passwords
	// for those that all sessions of a merchant are.
	Password  Limit = "password"
	Passwords Limit = "passwords"
	// Recipient is for mails to one address, whoever causes them.
	Recipient Limit = "recipient"
	// None is for probes.
	None Limit = "none"
)

// bucketOther is the bucket of Other.
const bucketOther = "other"

// perLimit is a limiter for each limit; none when nothing is limited.
type perLimit map[Limit]*ratelimit.Limiter

// of is the limiter of a limit: nil where nothing is limited, and of None. It panics for a
// limit that has no limiter: what counts by it would not be counted.
func (p perLimit) of(limit Limit) *ratelimit.Limiter {
	if p == nil || limit == None {
		return nil
	}
	if p[limit] == nil {
		panic("no limiter of the limit " + limit)
	}
	return p[limit]
}

// newLimiters makes the limiters of clients, and those of the circuits of the
// onion mirror together; none without a counter.
func newLimiters(counter func(bucket string) httprate.LimitCounter) (clients, circuits perLimit) {
	if counter == nil {
		return nil, nil
	}
	clients, circuits = perLimit{}, perLimit{}
	add := func(of Limit, bucket string, requests int, per time.Duration) {
		clients[of] = ratelimit.NewLimiter(requests, per, counter(bucket))
		circuits[of] = ratelimit.NewCrowd(requests, per, counter("onion-"+bucket))
	}
	add(Other, bucketOther, 500, time.Minute)
	add(Auth, string(Auth), 10, 15*time.Minute)
	add(Create, string(Create), 30, time.Minute)
	add(QR, string(QR), 60, time.Minute)
	add(Public, string(Public), 120, time.Minute)
	add(Mail, string(Mail), 10, 15*time.Minute)
	add(Knock, string(Knock), 60, time.Minute)
	add(Refused, string(Refused), 100, 24*time.Hour)
	add(Password, string(Password), 10, PasswordPause)
	add(Passwords, string(Passwords), 30, PasswordPause)
	add(Recipient, string(Recipient), 5, 24*time.Hour)
	return clients, circuits
}

// Limits are the rate limits of the service. The zero value limits nothing.
type Limits struct {
	clients perLimit
	// circuits bound what the circuits of the onion mirror do together.
	circuits perLimit
	visits   visits
	index    *secret.BlindIndex
	trusted  []netip.Prefix
	errors   answer.Errors
}

// Settings are what the limits are made of.
type Settings struct {
	// Counter counts the requests of a bucket; nil turns the limits off.
	Counter func(bucket string) httprate.LimitCounter
	// Key signs the sessions of the onion mirror's visitors: at least 32 bytes.
	Key   []byte
	Clock func() time.Time
	// OnionURL is the base URL of the onion mirror, or empty.
	OnionURL string
	// Index makes the codes that stand for clients.
	Index *secret.BlindIndex
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	Errors         answer.Errors
}

// New makes the limits of a service.
func New(s Settings) *Limits {
	clients, circuits := newLimiters(s.Counter)
	return &Limits{
		clients: clients, circuits: circuits, visits: newVisits(s), index: s.Index, trusted: s.TrustedProxies, errors: s.Errors,
	}
}

// Answering are the same limits on a surface that tells problems otherwise.
func (l *Limits) Answering(e answer.Errors) *Limits {
	same := *l
	same.errors = e
	return &same
}

// Take counts one for whoever it is, in the transaction of q or without one, and
// says whether they are within the limit.
func (l *Limits) Take(ctx context.Context, of Limit, q *db.Queries, whose string) (within bool, err error) {
	return l.clients[of].Take(ctx, q, whose)
}

// ClientOf names the client of a request: by address, or by circuit.
func (l *Limits) ClientOf(ctx huma.Context) string {
	r, _ := humachi.Unwrap(ctx)
	return web.ClientIP(r, l.trusted)
}

// Within lets a client through while it is within a limit. Clients are told
// apart by client: an address, an API key or a merchant.
func (l *Limits) Within(of Limit, client func(huma.Context) string) request.Step {
	return l.holdTo(l.clients.of(of), client)
}

// WithinByAddress counts by address, on the onion mirror by circuit and all
// circuits together.
func (l *Limits) WithinByAddress(of Limit) []request.Step {
	crowd := func(ctx huma.Context) string {
		r, _ := humachi.Unwrap(ctx)
		if _, ok := web.Circuit(r); ok {
			return web.Together
		}
		return ""
	}
	return []request.Step{l.Within(of, l.ClientOf), l.holdTo(l.circuits.of(of), crowd)}
}

// holdTo refuses what is over a limit. Who has no name is not counted.
func (l *Limits) holdTo(limiter *ratelimit.Limiter, client func(huma.Context) string) request.Step {
	if limiter == nil {
		return func(ctx huma.Context, next func(huma.Context)) { next(ctx) }
	}
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		name := client(ctx)
		if name == "" || !limiter.Refuses(w, r, name) {
			next(ctx)
			return
		}
		// Without a pause the counts could not be read: the database is away.
		if w.Header().Get("Retry-After") == "" {
			l.errors.Fail(ctx, answer.Unavailable("internal error", answer.RetrySoon))
			return
		}
		l.errors.Fail(ctx, TooMany())
	}
}

// Count counts each request of the routes that it is put before, as of a limit. Visitors
// are told apart by address, on the onion mirror by session. refuse answers one too many;
// nil stands for the API's answer.
func (l *Limits) Count(of Limit, refuse http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		if l.clients == nil {
			return next
		}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			v := l.visitor(w, r)
			if l.refusesVisitor(of, w, r, v) {
				refusing(refuse)(w, r)
				return
			}
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), visitorKey{}, v)))
		})
	}
}

// CountGuess counts forms that have a password hashed, or a code guessed at, with the
// API's tries, and names the client as whom the password is hashed.
func (l *Limits) CountGuess(refuse http.HandlerFunc) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			client := l.clientOfAPI(r)
			if l.clients != nil && l.refusesVisitor(Auth, w, r, client) {
				refusing(refuse)(w, r)
				return
			}
			next.ServeHTTP(w, r.WithContext(account.WithClient(r.Context(), client.name)))
		})
	}
}

// refusing is what answers one request too many.
func refusing(refuse http.HandlerFunc) http.HandlerFunc {
	if refuse != nil {
		return refuse
	}
	return func(w http.ResponseWriter, _ *http.Request) { TooMany().Write(w) }
}

// TooMany is what the API answers to one request too many.
func TooMany() *answer.Problem {
	return &answer.Problem{Text: "too many requests, try again later", Status: http.StatusTooManyRequests}
}

// clientOfAPI is a visitor as WithinByAddress counts the API's clients.
func (l *Limits) clientOfAPI(r *http.Request) visitor {
	v := visitor{name: web.ClientIP(r, l.trusted)}
	if _, ok := web.Circuit(r); ok {
		v.crowd = web.Together
	}
	return v
}

// visitorKey is the context's key of a visitor who was counted.
type visitorKey struct{}

// AdmitCreation counts a visitor of a page that is about to make a charge or a claim with
// the creations of charges. It refuses a visitor whom Count has not counted. It implements
// pages.Deps.Admit.
func (l *Limits) AdmitCreation(w http.ResponseWriter, r *http.Request) bool {
	if l.clients == nil {
		return true
	}
	v, counted := r.Context().Value(visitorKey{}).(visitor)
	return counted && !l.refusesVisitor(Create, w, r, v)
}

func (l *Limits) refusesVisitor(of Limit, w http.ResponseWriter, r *http.Request, v visitor) bool {
	return l.clients[of].Refuses(w, r, v.name) || (v.crowd != "" && l.circuits[of].Refuses(w, r, v.crowd))
}

// PasswordPause is the window of the passwords that a session may be asked for.
const PasswordPause = 15 * time.Minute
