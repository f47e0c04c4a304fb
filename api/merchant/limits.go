package merchant

import (
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/internal/account"
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
	// limitNone is for probes.
	limitNone limit = "none"
)

// bucketOther is the bucket of limitOther.
const bucketOther = "other"

// newLimiters makes the limiters; none without a counter.
func newLimiters(counter func(bucket string) httprate.LimitCounter) map[limit]*httprate.RateLimiter {
	if counter == nil {
		return nil
	}
	limiter := func(bucket string, requests int, per time.Duration) *httprate.RateLimiter {
		return httprate.NewRateLimiter(requests, per, httprate.WithLimitCounter(counter(bucket)),
			httprate.WithErrorHandler(func(http.ResponseWriter, *http.Request, error) {}))
	}
	return map[limit]*httprate.RateLimiter{
		limitOther:  limiter(bucketOther, 500, time.Minute),
		limitAuth:   limiter(string(limitAuth), 10, 15*time.Minute),
		limitCreate: limiter(string(limitCreate), 30, time.Minute),
		limitQR:     limiter(string(limitQR), 60, time.Minute),
		limitPublic: limiter(string(limitPublic), 120, time.Minute),
		limitMail:   limiter(string(limitMail), 10, 15*time.Minute),
	}
}

// limited lets a client through while it is within a limit. Clients are told
// apart by client: an address, an API key or a merchant.
func (a *app) limited(l limit, client func(huma.Context) string) step {
	limiter := a.limiters[l]
	if limiter == nil {
		return func(ctx huma.Context, next func(huma.Context)) { next(ctx) }
	}
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humachi.Unwrap(ctx)
		if !limiter.OnLimit(w, r, client(ctx)) {
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

// limitPages counts the hosted pages with the public reads: a page of a
// payment request makes a charge. Probes, documents and styles are not counted.
func (a *app) limitPages(next http.Handler) http.Handler {
	limiter := a.limiters[limitPublic]
	if limiter == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := strings.HasPrefix(r.URL.Path, "/pay/") || strings.HasPrefix(r.URL.Path, account.VerificationPath)
		if counted && limiter.OnLimit(w, r, clientIP(r, a.TrustedProxies)) {
			http.Error(w, "Too many requests. Please wait a minute.", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
