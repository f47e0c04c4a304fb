package ratelimit

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/internal/postgres/db"
)

// exactUpTo is the largest limit that NewLimiter counts exactly.
const exactUpTo = 60

// Limiter holds each client to a number of requests in a sliding window.
type Limiter struct {
	counter httprate.LimitCounter
	limit   int
	per     time.Duration
	// exact is nil where requests are counted in memory first.
	exact *exact
	// quiet limiters write no header but Retry-After.
	quiet bool
	// mu lets one request at a time be judged and counted in memory.
	mu sync.Mutex
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
	l := NewBatchedLimiter(requests, per, counter)
	if shared, ok := counter.(*Counter); ok {
		l.exact = &exact{counter: shared, limit: requests, per: per}
	}
	return l
}

// NewBatchedLimiter makes no query for a request. Several instances together may
// exceed the limit by the requests that arrive in flushEvery, and each of them by
// the part of the limit that it does not share (keptPart).
func NewBatchedLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	counter.Config(requests, per)
	return &Limiter{counter: counter, limit: requests, per: per}
}

// Quiet returns the limiter, for use in addition to another one of the same request,
// whose headers are about the client: it writes Retry-After alone.
func (l *Limiter) Quiet() *Limiter {
	l.quiet = true
	return l
}

// crowdSize is how many clients' worth of requests a crowd may make.
const crowdSize = 10

// NewCrowd limits what clients may do together, where one person could be many of
// them: ten times the requests that NewLimiter lets one client make, counted as by
// NewBatchedLimiter. It is quiet.
func NewCrowd(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return NewBatchedLimiter(crowdSize*requests, per, counter).Quiet()
}

// judgement is what became of a request.
type judgement struct {
	refused bool
	// remaining is how many more are let through, ends when the window does.
	remaining int
	ends      time.Time
}

// judge counts a request of a client unless it exceeds the limit.
func (l *Limiter) judge(ctx context.Context, q *db.Queries, client string) (judgement, error) {
	if l.exact != nil {
		return l.exact.judge(ctx, q, client)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	used, window, err := l.used(client)
	if err != nil || used >= l.limit {
		return judgement{refused: true, remaining: l.limit - used, ends: window.Add(l.per)}, err
	}
	return judgement{remaining: l.limit - used - 1, ends: window.Add(l.per)}, l.counter.IncrementBy(client, window, 1)
}

// used returns how many requests of a client count now, and the window of now. Requests
// of the previous window count by the share of it that the sliding window still covers.
func (l *Limiter) used(client string) (used int, window time.Time, err error) {
	at, window := l.now()
	used, before, err := l.counter.Get(client, window, window.Add(-l.per))
	weight := 1 - float64(at.Sub(window))/float64(l.per)
	return used + int(math.Round(float64(before)*weight)), window, err
}

// add counts a request of a client, whether it exceeds the limit or not.
func (l *Limiter) add(client string) {
	_, window := l.now()
	_ = l.counter.IncrementBy(client, window, 1) // in memory: it cannot fail
}

// now returns the time of the counter, and its window.
func (l *Limiter) now() (at, window time.Time) {
	at = time.Now()
	if own, ok := l.counter.(*Counter); ok {
		at = own.clock()
	}
	return at.UTC(), at.UTC().Truncate(l.per)
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
	found, err := l.judge(r.Context(), q, client)
	if err != nil {
		return true
	}
	h := w.Header()
	if !l.quiet {
		h.Set("X-Ratelimit-Limit", strconv.Itoa(l.limit))
		h.Set("X-Ratelimit-Remaining", strconv.Itoa(found.remaining))
		h.Set("X-Ratelimit-Reset", strconv.FormatInt(found.ends.Unix(), 10))
	}
	if found.refused {
		h.Set("Retry-After", strconv.Itoa(int(l.per.Seconds())))
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
	found, err := l.judge(ctx, q, client)
	if err != nil {
		return false, errUncounted
	}
	return !found.refused, nil
}
