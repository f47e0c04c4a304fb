package merchant

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/ratelimit"
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
	add := func(l limit, bucket string, requests int, per time.Duration) {
		clients[l] = ratelimit.NewLimiter(requests, per, counter(bucket))
		circuits[l] = ratelimit.NewCrowd(requests, per, counter("onion-"+bucket))
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

// limited lets a client through while it is within a limit. Clients are told
// apart by client: an address, an API key or a merchant.
func (a *app) limited(l limit, client func(huma.Context) string) step {
	return a.holdTo(a.limiters[l], client)
}

// limitedByAddress counts by address, on the onion mirror by circuit and all
// circuits together.
func (a *app) limitedByAddress(l limit) []step {
	address := func(ctx huma.Context) string {
		r, _ := humachi.Unwrap(ctx)
		return web.ClientIP(r, a.TrustedProxies)
	}
	crowd := func(ctx huma.Context) string {
		r, _ := humachi.Unwrap(ctx)
		if _, ok := web.Circuit(r); ok {
			return web.Together
		}
		return ""
	}
	return []step{a.limited(l, address), a.holdTo(a.circuits[l], crowd)}
}

// holdTo refuses what is over a limit. Who has no name is not counted.
func (a *app) holdTo(limiter *ratelimit.Limiter, client func(huma.Context) string) step {
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
			a.fail(ctx, unavailable("internal error", retrySoon))
			return
		}
		a.fail(ctx, &problem{Text: "too many requests, try again later", status: http.StatusTooManyRequests})
	}
}

// limitPages counts the hosted pages with the public reads. Probes, documents
// and styles are not counted. Visitors are told apart by address, on the onion
// mirror by session.
// The form of a new password counts with the API's tries as well.
func (a *app) limitPages(next http.Handler) http.Handler {
	next = a.hashesForm(next)
	if a.limiters == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/pay/") || strings.HasPrefix(r.URL.Path, account.VerificationPath) ||
			strings.HasPrefix(r.URL.Path, account.ResetPath) {
			v := a.visitor(w, r)
			if a.refusesVisitor(limitPublic, w, r, v) || (setsPassword(r) && a.refusesVisitor(limitAuth, w, r, a.clientOfAPI(r))) {
				a.tooMany(w, r)
				return
			}
			r = r.WithContext(context.WithValue(r.Context(), visitorKey, v))
		}
		next.ServeHTTP(w, r)
	})
}

// setsPassword tells the form of a page that has a password hashed.
func setsPassword(r *http.Request) bool {
	return r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, account.ResetPath)
}

// clientOfAPI is a visitor as limitedByAddress counts the API's clients.
func (a *app) clientOfAPI(r *http.Request) visitor {
	v := visitor{name: web.ClientIP(r, a.TrustedProxies)}
	if _, ok := web.Circuit(r); ok {
		v.crowd = web.Together
	}
	return v
}

// hashesForm names the client as whom the form of a page hashes a password.
func (a *app) hashesForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if setsPassword(r) {
			r = r.WithContext(account.WithClient(r.Context(), a.clientOfAPI(r).name))
		}
		next.ServeHTTP(w, r)
	})
}

// admitCreation counts a visitor of a page that is about to make a charge with
// the creations of charges. It implements pages.Deps.Admit.
func (a *app) admitCreation(w http.ResponseWriter, r *http.Request) bool {
	v, counted := r.Context().Value(visitorKey).(visitor)
	return !counted || !a.refusesVisitor(limitCreate, w, r, v)
}

func (a *app) refusesVisitor(l limit, w http.ResponseWriter, r *http.Request, v visitor) bool {
	return a.limiters[l].Refuses(w, r, v.name) || (v.crowd != "" && a.circuits[l].Refuses(w, r, v.crowd))
}
