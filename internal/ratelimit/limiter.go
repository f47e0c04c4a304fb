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
	return newLimiter(requests, per, counter)
}

// crowdSize is how many clients' worth of requests a crowd may make.
const crowdSize = 10

// NewCrowd bounds what clients may do together of whom one could be many: ten
// times the requests that NewLimiter lets one client make. Its answers carry no
// header but Retry-After, since the others are about the client.
func NewCrowd(requests int, per time.Duration, counter httprate.LimitCounter) *Limiter {
	return newLimiter(crowdSize*requests, per, counter,
		httprate.WithResponseHeaders(httprate.ResponseHeaders{RetryAfter: "Retry-After"}))
}

func newLimiter(requests int, per time.Duration, counter httprate.LimitCounter, more ...httprate.Option) *Limiter {
	shared, _ := counter.(*Counter)
	options := append([]httprate.Option{
		httprate.WithLimitCounter(counter),
		httprate.WithErrorHandler(func(http.ResponseWriter, *http.Request, error) {}),
	}, more...)
	return &Limiter{limiter: httprate.NewRateLimiter(requests, per, options...), counter: shared}
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
