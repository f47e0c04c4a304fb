package merchant

import (
	"context"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// limit names a rate limit. Operations with the same one share its bucket.
type limit string

// The rate limits; limitOther is that of operations that name none.
const (
	limitOther  limit = ""
	limitAuth   limit = "auth"
	limitCreate limit = "create"
	limitQR     limit = "qr"
	limitPublic limit = "public"
	// limitMail is for what sends mails to an address that a merchant names.
	limitMail limit = "mail"
	// limitPing is for test events, which go where a merchant says.
	limitPing limit = "ping"
	// limitPassword is for passwords that a session is asked for, limitPasswords
	// for those that all sessions of a merchant are.
	limitPassword  limit = "password"
	limitPasswords limit = "passwords"
	// limitRecipient is for mails to one address, whoever causes them.
	limitRecipient limit = "recipient"
	// limitNone is for probes.
	limitNone limit = "none"
)

// bucketOther is the bucket of limitOther.
const bucketOther = "other"

// limiters is a limiter for each limit; none when nothing is limited.
type limiters map[limit]*ratelimit.Limiter

// newLimiters makes the limiters of clients, and those of the circuits of the
// onion mirror together; none without a counter.
func newLimiters(counter func(bucket string) httprate.LimitCounter) (clients, circuits limiters) {
	if counter == nil {
		return nil, nil
	}
	clients, circuits = limiters{}, limiters{}
	add := func(of limit, bucket string, requests int, per time.Duration) {
		clients[of] = ratelimit.NewLimiter(requests, per, counter(bucket))
		circuits[of] = ratelimit.NewCrowd(requests, per, counter("onion-"+bucket))
	}
	add(limitOther, bucketOther, 500, time.Minute)
	add(limitAuth, string(limitAuth), 10, 15*time.Minute)
	add(limitCreate, string(limitCreate), 30, time.Minute)
	add(limitQR, string(limitQR), 60, time.Minute)
	add(limitPublic, string(limitPublic), 120, time.Minute)
	add(limitMail, string(limitMail), 10, 15*time.Minute)
	add(limitPing, string(limitPing), 10, time.Minute)
	add(limitPassword, string(limitPassword), 10, passwordPause)
	add(limitPasswords, string(limitPasswords), 30, passwordPause)
	add(limitRecipient, string(limitRecipient), 5, 24*time.Hour)
	return clients, circuits
}

// Limits are the rate limits of the service. The zero value limits nothing.
type Limits struct {
	limiters limiters
	// circuits bound what the circuits of the onion mirror do together.
	circuits limiters
	visits   visits
	index    *secret.BlindIndex
	trusted  []netip.Prefix
	errors   Errors
	// TooMany answers a visitor of the pages who asks too often.
	TooMany http.HandlerFunc
}

// LimitSettings are what the limits are made of.
type LimitSettings struct {
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
	Errors         Errors
}

// NewLimits makes the limits of a service.
func NewLimits(s LimitSettings) *Limits {
	clients, circuits := newLimiters(s.Counter)
	return &Limits{
		limiters: clients, circuits: circuits, visits: newVisits(s), index: s.Index, trusted: s.TrustedProxies, errors: s.Errors,
	}
}

// Take counts one for whoever it is, in the transaction of q or without one, and
// says whether they are within the limit.
func (l *Limits) Take(ctx context.Context, of limit, q *db.Queries, whose string) (within bool, err error) {
	return l.limiters[of].Take(ctx, q, whose)
}

// ClientOf names the client of a request: by address, or by circuit.
func (l *Limits) ClientOf(ctx huma.Context) string {
	r, _ := humachi.Unwrap(ctx)
	return web.ClientIP(r, l.trusted)
}

// limited lets a client through while it is within a limit. Clients are told
// apart by client: an address, an API key or a merchant.
func (l *Limits) limited(of limit, client func(huma.Context) string) step {
	return l.holdTo(l.limiters[of], client)
}

// limitedByAddress counts by address, on the onion mirror by circuit and all
// circuits together.
func (l *Limits) limitedByAddress(of limit) []step {
	crowd := func(ctx huma.Context) string {
		r, _ := humachi.Unwrap(ctx)
		if _, ok := web.Circuit(r); ok {
			return web.Together
		}
		return ""
	}
	return []step{l.limited(of, l.ClientOf), l.holdTo(l.circuits[of], crowd)}
}

// holdTo refuses what is over a limit. Who has no name is not counted.
func (l *Limits) holdTo(limiter *ratelimit.Limiter, client func(huma.Context) string) step {
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
			l.errors.Fail(ctx, unavailable("internal error", retrySoon))
			return
		}
		l.errors.Fail(ctx, &problem{Text: "too many requests, try again later", status: http.StatusTooManyRequests})
	}
}

// limitPages counts the hosted pages with the public reads. Probes, documents
// and styles are not counted. Visitors are told apart by address, on the onion
// mirror by session.
// The form of a new password counts with the API's tries as well.
func (l *Limits) limitPages(next http.Handler) http.Handler {
	next = l.hashesForm(next)
	if l.limiters == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/pay/") || strings.HasPrefix(r.URL.Path, account.VerificationPath) ||
			strings.HasPrefix(r.URL.Path, account.ResetPath) {
			v := l.visitor(w, r)
			if l.refusesVisitor(limitPublic, w, r, v) || (setsPassword(r) && l.refusesVisitor(limitAuth, w, r, l.clientOfAPI(r))) {
				l.TooMany(w, r)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
		}
		next.ServeHTTP(w, r)
	})
}

// setsPassword tells the form of a page that has a password hashed.
func setsPassword(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, account.ResetPath)
}

// clientOfAPI is a visitor as limitedByAddress counts the API's clients.
func (l *Limits) clientOfAPI(r *http.Request) visitor {
	v := visitor{name: web.ClientIP(r, l.trusted)}
	if _, ok := web.Circuit(r); ok {
		v.crowd = web.Together
	}
	return v
}

// hashesForm names the client as whom the form of a page hashes a password.
func (l *Limits) hashesForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if setsPassword(r) {
			r = r.WithContext(account.WithClient(r.Context(), l.clientOfAPI(r).name))
		}
		next.ServeHTTP(w, r)
	})
}

// visitorKey is the context's key of a visitor who was counted.
type visitorKey struct{}

// admitCreation counts a visitor of a page that is about to make a charge with
// the creations of charges. It implements pages.Deps.Admit.
func (l *Limits) admitCreation(w http.ResponseWriter, r *http.Request) bool {
	v, counted := r.Context().Value(visitorKey{}).(visitor)
	return !counted || !l.refusesVisitor(limitCreate, w, r, v)
}

func (l *Limits) refusesVisitor(of limit, w http.ResponseWriter, r *http.Request, v visitor) bool {
	return l.limiters[of].Refuses(w, r, v.name) || (v.crowd != "" && l.circuits[of].Refuses(w, r, v.crowd))
}

// passwordPause is the window of the passwords that a session may be asked for.
const passwordPause = 15 * time.Minute
