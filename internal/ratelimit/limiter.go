package ratelimit

import (
	"net/http"
	"time"

	"github.com/go-chi/httprate"
)

// Limiter holds each client to a number of requests in a sliding window.
type Limiter struct {
	limiter *httprate.RateLimiter
	// counter is nil where counts are not shared.
	counter *Counter
}

// NewLimiter lets this many requests through per window, as they are counted by
// counter.
func NewLimiter(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	shared, _ := counter.(*Counter)
	return &Limiter{
		limiter: httprate.NewRateLimiter(requests, per, httprate.WithLimitCounter(counter),
			httprate.WithErrorHandler(func(http.ResponseWriter, *http.Request, error) {})),
		counter: shared,
	}
}

// Refuses counts a request of a client, or says that it is one too many. Then
// the answer's Retry-After tells the seconds to wait; it is not there when the
// counts could not be read. The database is asked before and after, not while
// the limiter holds its lock.
func (l *Limiter) Refuses(w http.ResponseWriter, r *http.Request, client string) bool {
	if l.counter == nil {
		return l.limiter.OnLimit(w, r, client)
	}
	if err := l.counter.learn(client, time.Now()); err != nil {
		return true
	}
	if l.limiter.OnLimit(w, r, client) {
		return true
	}
	l.counter.settle(r.Context())
	return false
}
