package ratelimit

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/internal/postgres/db"
)

// exactUpTo is the largest limit that NewLimiter counts exactly.
const exactUpTo = 60

// Limiter holds each client to a number of requests in a sliding window.
type Limiter struct {
	limiter *httprate.RateLimiter
	// exact is nil where requests are counted in memory first.
	exact *exact
	// quiet limiters write no header but Retry-After.
	quiet bool
}

// NewLimiter lets this many requests through per window, as they are counted by
// counter: exactly when they are few.
func NewLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	if requests <= exactUpTo {
		return NewExactLimiter(requests, per, counter)
	}
	return NewBatchedLimiter(requests, per, counter)
}

// NewExactLimiter asks the database about each request: all instances together
// let no more through than the limit. A counter that is not of this package is
// asked as it is.
func NewExactLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return NewBatchedLimiter(requests, per, counter).exactly(requests, per, counter)
}

func (l *Limiter) exactly(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	if shared, ok := counter.(*Counter); ok {
		l.exact = &exact{counter: shared, limit: requests, per: per}
	}
	return l
}

// NewQuietExactLimiter is NewExactLimiter in addition to another limiter of the
// same request, whose headers are about the client: it writes Retry-After alone.
func NewQuietExactLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	l := NewQuietBatchedLimiter(requests, per, counter).exactly(requests, per, counter)
	l.quiet = true
	return l
}

// NewQuietBatchedLimiter is NewBatchedLimiter in the same way.
func NewQuietBatchedLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return batched(requests, per, counter, retryAfterOnly())
}

func retryAfterOnly() httprate.Option {
	return httprate.WithResponseHeaders(httprate.ResponseHeaders{RetryAfter: "Retry-After"})
}

// NewBatchedLimiter makes no query for a request. Several instances together may
// exceed the limit by the requests that arrive in flushEvery, and each of them by
// the part of the limit that it does not share (keptPart).
func NewBatchedLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return batched(requests, per, counter)
}

// crowdSize is how many clients' worth of requests a crowd may make.
const crowdSize = 10

// NewCrowd limits what clients may do together, where one person could be many of
// them: ten times the requests that NewLimiter lets one client make, counted as by
// NewBatchedLimiter. Its answers carry no header but Retry-After, because the other
// headers are about the client.
func NewCrowd(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return NewQuietBatchedLimiter(crowdSize*requests, per, counter)
}

func batched(requests int, per time.Duration, counter httprate.LimitCounter, more ...httprate.Option) *Limiter {
	if own, ok := counter.(*Counter); ok {
		counter = clocked{own}
	}
	options := append([]httprate.Option{
		httprate.WithLimitCounter(counter),
		httprate.WithErrorHandler(func(http.ResponseWriter, *http.Request, error) {}),
	}, more...)
	return &Limiter{limiter: httprate.NewRateLimiter(requests, per, options...)}
}

// clocked is a counter with its own clock, while httprate uses the machine's alone.
// So clocked weighs the sliding window itself, and returns the sum as if all
// requests were of the current window.
type clocked struct{ *Counter }

// Get is how many requests count now; none is of another window.
func (c clocked) Get(key string, _, _ time.Time) (now, before int, err error) {
	at := c.clock().UTC()
	window := at.Truncate(c.window)
	now, before, err = c.Counter.Get(key, window, window.Add(-c.window))
	weight := 1 - float64(at.Sub(window))/float64(c.window)
	return now + int(math.Round(float64(before)*weight)), 0, err
}

// IncrementBy counts requests of now.
func (c clocked) IncrementBy(key string, _ time.Time, amount int) error {
	return c.Counter.IncrementBy(key, c.clock().UTC().Truncate(c.window), amount)
}

// Refuses counts a request of a client, or reports that it exceeds the limit. Then
// the answer's Retry-After holds the seconds to wait; it is absent when the counts
// could not be read.
func (l *Limiter) Refuses(w http.ResponseWriter, r *http.Request, client string) bool {
	return l.RefusesIn(nil, w, r, client)
}

// RefusesIn is Refuses in a transaction: the request counts when that is committed.
// With an exact limit, other requests of the client wait for its end.
func (l *Limiter) RefusesIn(q *db.Queries, w http.ResponseWriter, r *http.Request, client string) bool {
	if l.exact == nil {
		return l.limiter.OnLimit(w, r, client)
	}
	if q == nil {
		q = l.exact.counter.store.Queries
	}
	found, err := l.exact.count(r.Context(), q, client)
	if err != nil {
		l.exact.counter.log.WarnContext(r.Context(), "a request is not counted", "bucket", l.exact.counter.bucket, "error", err)
		return true
	}
	h := w.Header()
	if !l.quiet {
		h.Set("X-Ratelimit-Limit", strconv.Itoa(l.exact.limit))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(found.left))
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(found.ends.Unix(), 10))
	}
	if found.refused {
		h.Set("Retry-After", strconv.Itoa(int(l.exact.per.Seconds())))
	}
	return found.refused
}

// errUncounted is returned when the counts could not be read or written.
var errUncounted = errors.New("rate counts are away")

// Take counts an action of a client that is no request of its own, such as a mail
// to a recipient, and reports whether it is within the limit. In a transaction it
// counts when that is committed. A nil limiter has no limit.
func (l *Limiter) Take(ctx context.Context, q *db.Queries, client string) (within bool, err error) {
	if l == nil {
		return true, nil
	}
	nobody := unread{}
	if !l.RefusesIn(q, nobody, (&http.Request{}).WithContext(ctx), client) {
		return true, nil
	}
	if nobody.Header().Get("Retry-After") == "" {
		return false, errUncounted
	}
	return false, nil
}

// unread is an answer that is not sent.
type unread http.Header

// Header implements http.ResponseWriter.
func (u unread) Header() http.Header { return http.Header(u) }

// Write implements http.ResponseWriter.
func (unread) Write(b []byte) (int, error) { return len(b), nil }

// WriteHeader implements http.ResponseWriter.
func (unread) WriteHeader(int) {}
