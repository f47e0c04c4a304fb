package access

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Limit names a rate limit. Operations with the same one share its bucket.
type Limit string

// These are the rate limits. Other applies to operations that name none.
const (
	Other  Limit = ""
	Auth   Limit = "auth"
	Create Limit = "create"
	QR     Limit = "qr"
	Public Limit = "public"
	// Mail is for operations that send mails to an address that a merchant names.
	Mail Limit = "mail"
	// Knock is for operations that make the service send requests to receivers on demand: test
	// events, redeliveries and events triggered in the sandbox. It counts by merchant.
	Knock Limit = "knock"
	// Refused limits how many refused actions of people are recorded per shop and day.
	Refused Limit = "refused"
	// Password is for passwords that one session is asked for. Passwords is for those that all
	// sessions of a merchant are asked for.
	Password  Limit = "password"
	Passwords Limit = "passwords"
	// Recipient is for mails to one address, no matter who causes them.
	Recipient Limit = "recipient"
	// None is for probes.
	None Limit = "none"
)

const bucketOther = "other"

// perLimit has a limiter for each limit. It is nil if nothing is limited.
type perLimit map[Limit]*ratelimit.Limiter

// of returns the limiter of a limit. It returns nil for None and if nothing is limited. It
// panics for a limit without a limiter, because requests of that limit would not be counted.
func (p perLimit) of(limit Limit) *ratelimit.Limiter {
	if p == nil || limit == None {
		return nil
	}
	if p[limit] == nil {
		panic("no limiter of the limit " + limit)
	}
	return p[limit]
}

// newLimiters returns the limiters of single clients, and those that count all circuits of the
// onion mirror together. Without a counter it returns none.
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
	add(Password, string(Password), 10, passwordPause)
	add(Passwords, string(Passwords), 30, passwordPause)
	add(Recipient, string(Recipient), 5, 24*time.Hour)
	return clients, circuits
}

// Limits are the rate limits of the service. The zero value limits nothing.
type Limits struct {
	clients perLimit
	// circuits limit what all circuits of the onion mirror do together.
	circuits perLimit
	visits   visits
	index    *secret.BlindIndex
	trusted  []netip.Prefix
	errors   httpapi.Errors
}

// LimitSettings are the parameters of NewLimits.
type LimitSettings struct {
	// Counter counts the requests of a bucket; nil turns the limits off.
	Counter func(bucket string) httprate.LimitCounter
	// Key signs the sessions of the onion mirror's visitors: at least 32 bytes.
	Key   []byte
	Clock func() time.Time
	// OnionURL is the base URL of the onion mirror, or empty.
	OnionURL string
	// Index computes the codes that stand for clients.
	Index *secret.BlindIndex
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	Errors         httpapi.Errors
}

// NewLimits returns the limits of a service.
func NewLimits(s LimitSettings) *Limits {
	clients, circuits := newLimiters(s.Counter)
	return &Limits{
		clients: clients, circuits: circuits, visits: newVisits(s), index: s.Index, trusted: s.TrustedProxies, errors: s.Errors,
	}
}

// Answering returns a copy of the limits for a surface that words problems differently.
func (l *Limits) Answering(e httpapi.Errors) *Limits {
	same := *l
	same.errors = e
	return &same
}

// Take adds one to the count of whose and reports whether it is within the limit. It counts in
// the transaction of q, or outside a transaction if q is nil.
func (l *Limits) Take(ctx context.Context, of Limit, q *db.Queries, whose string) (within bool, err error) {
	return l.clients[of].Take(ctx, q, whose)
}

// ClientOf returns the name under which a request's client is counted: its address, or its
// circuit.
func (l *Limits) ClientOf(ctx huma.Context) string {
	r, _ := humachi.Unwrap(ctx)
	return web.ClientIP(r, l.trusted)
}

// Within lets a request through while its client is within a limit. client names the client: by
// address, API key or merchant.
func (l *Limits) Within(of Limit, client func(huma.Context) string) httpapi.Step {
	return l.holdTo(l.clients.of(of), client)
}

// WithinByAddress counts requests by address. On the onion mirror it counts them by circuit, and
// also all circuits together.
func (l *Limits) WithinByAddress(of Limit) []httpapi.Step {
	crowd := func(ctx huma.Context) string {
		r, _ := humachi.Unwrap(ctx)
		if _, ok := web.Circuit(r); ok {
			return web.Together
		}
		return ""
	}
	return []httpapi.Step{l.Within(of, l.ClientOf), l.holdTo(l.circuits.of(of), crowd)}
}

// holdTo refuses requests beyond a limit. A client with an empty name is not counted.
func (l *Limits) holdTo(limiter *ratelimit.Limiter, client func(huma.Context) string) httpapi.Step {
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
		// Without Retry-After the counts could not be read: the database is unreachable.
		if w.Header().Get("Retry-After") == "" {
			l.errors.Fail(ctx, httpapi.Unavailable("internal error", httpapi.RetrySoon))
			return
		}
		l.errors.Fail(ctx, TooMany())
	}
}

// Count counts each request to the routes behind it against a limit. It distinguishes visitors
// by address, and on the onion mirror by session. refuse answers a request beyond the limit; if
// it is nil, the API's answer is sent.
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

// CountGuess counts submitted forms that cause a password to be hashed or a code to be checked.
// They share the count of the API's logins. It also stores the client's name in the context:
// passwords are hashed in turn by client.
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

// refusing returns the handler that answers a request beyond the limit.
func refusing(refuse http.HandlerFunc) http.HandlerFunc {
	if refuse != nil {
		return refuse
	}
	return func(w http.ResponseWriter, _ *http.Request) { TooMany().Write(w) }
}

// TooMany returns the API's answer to a request beyond the limit.
func TooMany() *httpapi.Problem {
	return &httpapi.Problem{Text: "too many requests, try again later", Status: http.StatusTooManyRequests}
}

// clientOfAPI returns the visitor as whom WithinByAddress counts a client of the API.
func (l *Limits) clientOfAPI(r *http.Request) visitor {
	v := visitor{name: web.ClientIP(r, l.trusted)}
	if _, ok := web.Circuit(r); ok {
		v.crowd = web.Together
	}
	return v
}

// visitorKey is the context key of a visitor that Count has counted.
type visitorKey struct{}

// AdmitCreation reports whether a visitor of a page may create a charge or a claim now, and
// counts it with the creations of charges. It refuses a visitor that Count has not counted. It
// implements pages.Deps.Admit.
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

// passwordPause is the window of the limits Password and Passwords.
const passwordPause = 15 * time.Minute
