package swap

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
	// ErrTooMany is returned for a caller above the limit. The header Retry-After tells when
	// to try again.
	ErrTooMany = errors.New("too many requests, try again later")
	// ErrUncounted is returned if the counts could not be read.
	ErrUncounted = errors.New("requests cannot be counted")
)

// Kind is the kind of request that a limit counts.
type Kind bool

// The kinds of requests.
const (
	Read  Kind = false
	Write Kind = true
)

func (k Kind) String() string {
	if k == Write {
		return "write"
	}
	return "read"
}

// limit is the rate limit of a kind of request for a class of callers.
type limit struct {
	kind  Kind
	class Class
}

// perMinute returns the number of requests that a caller of the class may send in a minute.
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

// newLimiters returns a sliding window for each limit, or nil without a counter. Writes are
// counted exactly across instances. Reads are frequent and cheap, so they are counted in
// memory and shared in batches.
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

// newAffiliates returns the limits for one address or circuit with any affiliate keys. They
// equal those of one key, because keys cost nothing. It returns nil without a counter.
func newAffiliates(counter func(bucket string) httprate.LimitCounter) map[Kind]*ratelimit.Limiter {
	if counter == nil {
		return nil
	}
	reads, writes := limit{Read, Affiliate}, limit{Write, Affiliate}
	return map[Kind]*ratelimit.Limiter{
		Read:  ratelimit.NewBatchedLimiter(reads.perMinute(), time.Minute, counter(reads.bucket()+"-address")).Quiet(),
		Write: ratelimit.NewExactLimiter(writes.perMinute(), time.Minute, counter(writes.bucket()+"-address")).Quiet(),
	}
}

// newCrowds returns the limits for all callers together who come through Tor, where one client
// can have many circuits: for those without a key, and for those with affiliate keys. It
// returns nil without a counter.
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

// torKeys is the number of addresses that all of Tor counts as for new keys.
const torKeys = 10

// newKeyLimits returns the limits for new affiliate keys, or nil without a counter.
func newKeyLimits(counter func(bucket string) httprate.LimitCounter, perDay int) (address, tor *ratelimit.Limiter) {
	if counter == nil {
		return nil, nil
	}
	const bucket, day = "affiliate-keys", 24 * time.Hour
	return ratelimit.NewExactLimiter(perDay, day, counter(bucket)).Quiet(),
		ratelimit.NewExactLimiter(torKeys*perDay, day, counter(bucket+"-onion")).Quiet()
}

// AdmitNewKey counts a request for an affiliate key. It returns the errors of Admit.
func (f *Front) AdmitNewKey(w http.ResponseWriter, r *http.Request) error {
	c := f.AnonymousCaller(r)
	if err := f.Admit(w, r, c, Write); err != nil || f.newKeys == nil {
		return err
	}
	refused := f.newKeys.Refuses(w, r, c.ip) || (c.onion && f.newKeysTor.Refuses(w, r, web.Together))
	return verdict(w, refused)
}

// Admit counts a request. It returns ErrTooMany above the limit, and ErrUncounted if the
// database is not available.
func (f *Front) Admit(w http.ResponseWriter, r *http.Request, c Caller, kind Kind) error {
	return f.AdmitIn(nil, w, r, c, kind)
}

// AdmitIn is Admit within a transaction: the request counts when the transaction is committed.
// Partners are counted by key, callers without a key by address or circuit, affiliates by
// both. All except partners are also counted together if they come through Tor.
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
	// The address's limit is checked first. It sets no header except Retry-After, because the
	// other headers describe the key's limit.
	refused := (c.Class == Affiliate && f.affiliates[kind].RefusesIn(q, w, r, c.ip)) ||
		limiter.RefusesIn(q, w, r, name) ||
		(c.onion && c.Class != Partner && f.crowds[of].RefusesIn(q, w, r, web.Together))
	return verdict(w, refused)
}

// verdict returns the error for a refusal of a limiter. A limiter that could not count sets no
// Retry-After header.
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
