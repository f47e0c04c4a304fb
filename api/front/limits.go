package front

import (
	"errors"
	"net/http"
	"time"

	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
)

// Errors of Admit.
var (
	// ErrTooMany says that a caller is over the limit; the answer's header
	// says when to come back.
	ErrTooMany = errors.New("too many requests, try again later")
	// ErrUncounted says that the counts could not be read.
	ErrUncounted = errors.New("requests cannot be counted")
)

// Kind is what a request is counted as.
type Kind bool

// The kinds of requests.
const (
	Read  Kind = false
	Write Kind = true
)

// limit is a rate limit: what is done, by whom.
type limit struct {
	kind  Kind
	class Class
}

// perMinute is how many requests a caller of the class may make.
func (l limit) perMinute() int {
	writes := l.kind == Write
	switch {
	case l.class == Partner && writes:
		return 600
	case l.class == Partner:
		return 6000
	case l.class == Affiliate && writes:
		return 30
	case l.class == Affiliate:
		return 300
	case writes:
		return 6
	default:
		return 60
	}
}

func (l limit) bucket() string {
	name := "swap-reads"
	if l.kind == Write {
		name = "swap-writes"
	}
	if l.class != Anonymous {
		name += "-" + string(l.class)
	}
	return name
}

// newLimiters makes a sliding window for each limit; none without a counter.
// Writes are counted exactly across instances. Reads are many and cost little:
// they are counted in memory and shared in batches.
func newLimiters(counter func(bucket string) httprate.LimitCounter) map[limit]*ratelimit.Limiter {
	if counter == nil {
		return nil
	}
	all := map[limit]*ratelimit.Limiter{}
	for _, c := range []Class{Anonymous, Affiliate, Partner} {
		reads, writes := limit{Read, c}, limit{Write, c}
		all[reads] = ratelimit.NewBatchedLimiter(reads.perMinute(), time.Minute, counter(reads.bucket()))
		all[writes] = ratelimit.NewExactLimiter(writes.perMinute(), time.Minute, counter(writes.bucket()))
	}
	return all
}

// newCrowds makes the bounds of what the callers without a key do together who
// come through Tor, where one can have many circuits; none without a counter.
func newCrowds(counter func(bucket string) httprate.LimitCounter) map[Kind]*ratelimit.Limiter {
	if counter == nil {
		return nil
	}
	crowd := func(kind Kind) *ratelimit.Limiter {
		l := limit{kind, Anonymous}
		return ratelimit.NewCrowd(l.perMinute(), time.Minute, counter(l.bucket()+"-onion"))
	}
	return map[Kind]*ratelimit.Limiter{Read: crowd(Read), Write: crowd(Write)}
}

// Admit counts a request: ErrTooMany for one too many, ErrUncounted when the
// database is away.
func (f *Front) Admit(w http.ResponseWriter, r *http.Request, c Caller, kind Kind) error {
	return f.AdmitIn(nil, w, r, c, kind)
}

// AdmitIn is Admit in a transaction: the request counts when that is committed.
func (f *Front) AdmitIn(q *db.Queries, w http.ResponseWriter, r *http.Request, c Caller, kind Kind) error {
	limiter := f.limiters[limit{kind, c.Class}]
	if limiter == nil {
		return nil
	}
	crowded := c.onion && c.KeyID == ""
	if !limiter.RefusesIn(q, w, r, c.name()) && (!crowded || !f.crowds[kind].RefusesIn(q, w, r, web.Together)) {
		return nil
	}
	if w.Header().Get("Retry-After") == "" {
		return ErrUncounted
	}
	return ErrTooMany
}
