package swap

import (
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/httprate"
)

// limit is a rate limit: what is done, by whom.
type limit struct {
	writes bool
	class  class
}

// perMinute is how many requests a caller of the class may make.
func (l limit) perMinute() int {
	switch {
	case l.class == partner && l.writes:
		return 600
	case l.class == partner:
		return 6000
	case l.class == affiliate && l.writes:
		return 30
	case l.class == affiliate:
		return 300
	case l.writes:
		return 6
	default:
		return 60
	}
}

func (l limit) bucket() string {
	name := "swap-reads"
	if l.writes {
		name = "swap-writes"
	}
	if l.class != anonymous {
		name += "-" + string(l.class)
	}
	return name
}

// newLimiters makes a sliding window for each limit; none without a counter.
func newLimiters(counter func(bucket string) httprate.LimitCounter) map[limit]*httprate.RateLimiter {
	if counter == nil {
		return nil
	}
	all := map[limit]*httprate.RateLimiter{}
	for _, c := range []class{anonymous, affiliate, partner} {
		for _, writes := range []bool{false, true} {
			l := limit{writes, c}
			all[l] = httprate.NewRateLimiter(l.perMinute(), time.Minute, httprate.WithLimitCounter(counter(l.bucket())),
				httprate.WithErrorHandler(func(http.ResponseWriter, *http.Request, error) {}))
		}
	}
	return all
}

// admit counts a request and answers it when it is one too many.
func (a *app) admit(ctx huma.Context, c caller, l limit) bool {
	l.class = c.class
	limiter := a.limiters[l]
	if limiter == nil {
		return true
	}
	r, w := humachi.Unwrap(ctx)
	if !limiter.OnLimit(w, r, c.name()) {
		return true
	}
	// Without a pause the counts could not be read: the database is away.
	if w.Header().Get("Retry-After") == "" {
		a.fail(ctx, internalError())
		return false
	}
	a.fail(ctx, refused(http.StatusTooManyRequests, codeRateLimit, "too many requests, try again later"))
	return false
}
