package exchangeapi

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

// newAffiliates makes the limits of what is done from one address or circuit
// with any keys of affiliates: those of one such key, since keys cost nothing.
// None without a counter.
func newAffiliates(counter func(bucket string) httprate.LimitCounter) map[Kind]*ratelimit.Limiter {
	if counter == nil {
		return nil
	}
	reads, writes := limit{Read, Affiliate}, limit{Write, Affiliate}
	return map[Kind]*ratelimit.Limiter{
		Read:  ratelimit.NewQuietBatchedLimiter(reads.perMinute(), time.Minute, counter(reads.bucket()+"-address")),
		Write: ratelimit.NewQuietExactLimiter(writes.perMinute(), time.Minute, counter(writes.bucket()+"-address")),
	}
}

// newCrowds makes the bounds of what callers do together who come through Tor,
// where one can have many circuits: without a key, and with those of
// affiliates. None without a counter.
func newCrowds(counter func(bucket string) httprate.LimitCounter) map[limit]*ratelimit.Limiter {
	if counter == nil {
		return nil
	}
	all := map[limit]*ratelimit.Limiter{}
	for _, l := range []limit{{Read, Anonymous}, {Write, Anonymous}, {Read, Affiliate}, {Write, Affiliate}} {
		all[l] = ratelimit.NewCrowd(l.perMinute(), time.Minute, counter(l.bucket()+"-onion"))
	}
	return all
}

// torKeys is how many addresses' worth of new keys all of Tor gets together.
const torKeys = 10

// newKeyLimits makes the limits of new keys of affiliates; none without a
// counter.
func newKeyLimits(counter func(bucket string) httprate.LimitCounter, perDay int) (address, tor *ratelimit.Limiter) {
	if counter == nil {
		return nil, nil
	}
	const bucket, day = "affiliate-keys", 24 * time.Hour
	return ratelimit.NewQuietExactLimiter(perDay, day, counter(bucket)),
		ratelimit.NewQuietExactLimiter(torKeys*perDay, day, counter(bucket+"-onion"))
}

// AdmitNewKey counts a key that an affiliate asks for, with the errors of Admit.
func (f *Front) AdmitNewKey(w http.ResponseWriter, r *http.Request) error {
	c := f.Nobody(r)
	if err := f.Admit(w, r, c, Write); err != nil || f.newKeys == nil {
		return err
	}
	refused := f.newKeys.Refuses(w, r, c.ip) || (c.onion && f.newKeysTor.Refuses(w, r, web.Together))
	return verdict(w, refused)
}

// Admit counts a request: ErrTooMany for one too many, ErrUncounted when the
// database is away.
func (f *Front) Admit(w http.ResponseWriter, r *http.Request, c Caller, kind Kind) error {
	return f.AdmitIn(nil, w, r, c, kind)
}

// AdmitIn is Admit in a transaction: the request counts when that is committed.
// Partners count by key, who has no key by address or circuit, affiliates by
// both; all but partners together where they come through Tor.
func (f *Front) AdmitIn(q *db.Queries, w http.ResponseWriter, r *http.Request, c Caller, kind Kind) error {
	of := limit{kind, c.Class}
	limiter := f.limiters[of]
	if limiter == nil {
		return nil
	}
	name := "ip " + c.ip
	if c.KeyID != "" {
		name = "key " + c.KeyID
	}
	// The address first: its own limit's headers are not the ones that a key's
	// owner goes by.
	refused := (c.Class == Affiliate && f.affiliates[kind].RefusesIn(q, w, r, c.ip)) ||
		limiter.RefusesIn(q, w, r, name) ||
		(c.onion && c.Class != Partner && f.crowds[of].RefusesIn(q, w, r, web.Together))
	return verdict(w, refused)
}

// verdict words a refusal of a limiter, which leaves no header when it could
// not count.
func verdict(w http.ResponseWriter, refused bool) error {
	switch {
	case !refused:
		return nil
	case w.Header().Get("Retry-After") == "":
		return ErrUncounted
	default:
		return ErrTooMany
	}
}
