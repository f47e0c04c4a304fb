package limits

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/businessnotice"
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
	// Ping is for test events, which go where a merchant says.
	Ping Limit = "ping"
	// Redeliver is for deliveries that an application has sent again: each is a round
	// of attempts.
	Redeliver Limit = "redeliver"
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
	add(Ping, string(Ping), 10, time.Minute)
	add(Redeliver, string(Redeliver), 60, time.Minute)
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
	// TooMany answers a visitor of the pages who asks too often.
	TooMany http.HandlerFunc
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
	return l.holdTo(l.clients[of], client)
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
	return []request.Step{l.Within(of, l.ClientOf), l.holdTo(l.circuits[of], crowd)}
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
		l.errors.Fail(ctx, &answer.Problem{Text: "too many requests, try again later", Status: http.StatusTooManyRequests})
	}
}

// Pages counts the hosted pages with the public reads. Probes, documents
// and styles are not counted. Visitors are told apart by address, on the onion
// mirror by session.
// A form with a password or a code counts with the API's tries as well.
func (l *Limits) Pages(next http.Handler) http.Handler {
	next = l.hashesForm(next)
	if l.clients == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/pay/") || strings.HasPrefix(r.URL.Path, account.VerificationPath) ||
			strings.HasPrefix(r.URL.Path, account.ResetPath) || strings.HasPrefix(r.URL.Path, account.EndPath) || strings.HasPrefix(r.URL.Path, businessnotice.OffPath) || strings.HasPrefix(r.URL.Path, account.ConnectPath) {
			v := l.visitor(w, r)
			if l.refusesVisitor(Public, w, r, v) || (takesPassword(r) && l.refusesVisitor(Auth, w, r, l.clientOfAPI(r))) {
				l.TooMany(w, r)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
		}
		next.ServeHTTP(w, r)
	})
}

// takesPassword tells the form of a page that has a password hashed, or a code
// guessed at.
func takesPassword(r *http.Request) bool {
	return r.Method == http.MethodPost && (strings.HasPrefix(r.URL.Path, account.ResetPath) ||
		strings.HasPrefix(r.URL.Path, account.ConnectPath+"/log-in") || strings.HasPrefix(r.URL.Path, account.ConnectPath+"/code"))
}

// clientOfAPI is a visitor as WithinByAddress counts the API's clients.
func (l *Limits) clientOfAPI(r *http.Request) visitor {
	v := visitor{name: web.ClientIP(r, l.trusted)}
	if _, ok := web.Circuit(r); ok {
		v.crowd = web.Together
	}
	return v
}

// hashesForm names the client as whom a form of a page hashes a password.
func (l *Limits) hashesForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if takesPassword(r) {
			r = r.WithContext(account.WithClient(r.Context(), l.clientOfAPI(r).name))
		}
		next.ServeHTTP(w, r)
	})
}

// visitorKey is the context's key of a visitor who was counted.
type visitorKey struct{}

// AdmitCreation counts a visitor of a page that is about to make a charge with
// the creations of charges. It implements pages.Deps.Admit.
func (l *Limits) AdmitCreation(w http.ResponseWriter, r *http.Request) bool {
	v, counted := r.Context().Value(visitorKey{}).(visitor)
	return !counted || !l.refusesVisitor(Create, w, r, v)
}

func (l *Limits) refusesVisitor(of Limit, w http.ResponseWriter, r *http.Request, v visitor) bool {
	return l.clients[of].Refuses(w, r, v.name) || (v.crowd != "" && l.circuits[of].Refuses(w, r, v.crowd))
}

// PasswordPause is the window of the passwords that a session may be asked for.
const PasswordPause = 15 * time.Minute
