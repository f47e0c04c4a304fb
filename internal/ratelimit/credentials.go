package ratelimit

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/go-chi/httprate"
)

const (
	// MadeUpCredentials is how many credentials that do not exist a client may
	// present in MadeUpWindow before no unfamiliar one of it is looked up.
	MadeUpCredentials = 60
	// MadeUpWindow is the sliding window of MadeUpCredentials.
	MadeUpWindow = time.Minute
	// familiarMost is how many credentials are remembered as good, at least.
	familiarMost = 10_000
)

// Credentials limits how often a client can have nonexistent credentials looked up.
// It counts the failures of a client in memory and shares them in batches, so a
// good credential costs no query. It also remembers which credentials were good
// recently, so a client continues to work behind the same address as an attacker
// who makes credentials up. Being remembered proves nothing: the caller still looks
// the credential up. A nil Credentials has no limit.
type Credentials struct {
	failures *Limiter
	good     familiar
}

// NewCredentials counts by the counter of a bucket; nil without counters.
func NewCredentials(counter func(bucket string) httprate.LimitCounter, bucket string) *Credentials {
	if counter == nil {
		return nil
	}
	return &Credentials{failures: NewBatchedLimiter(MadeUpCredentials, MadeUpWindow, counter(bucket))}
}

// Refuses reports whether a credential must not be looked up: its client, an
// address or a circuit, has presented too many that do not exist, and it was not
// good recently. If the counts cannot be read, Refuses returns false.
func (c *Credentials) Refuses(client, credential string) bool {
	if c == nil || c.good.has(credential) {
		return false
	}
	made, _, err := c.failures.used(client)
	return err == nil && made >= MadeUpCredentials
}

// Failed counts a credential of a client that does not exist.
func (c *Credentials) Failed(client string) {
	if c != nil {
		c.failures.add(client)
	}
}

// Good remembers a credential that exists.
func (c *Credentials) Good(credential string) {
	if c != nil {
		c.good.add(credential)
	}
}

// Bad forgets that a credential was good.
func (c *Credentials) Bad(credential string) {
	if c != nil {
		c.good.drop(credential)
	}
}

// familiar remembers the digests of the credentials that were good of late, in
// two generations: the elder one is forgotten when the younger one is full.
type familiar struct {
	mu             sync.Mutex
	younger, elder map[[sha256.Size]byte]struct{}
}

func (f *familiar) has(credential string) bool {
	digest := sha256.Sum256([]byte(credential))
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.younger[digest]; ok {
		return true
	}
	_, ok := f.elder[digest]
	return ok
}

func (f *familiar) add(credential string) {
	digest := sha256.Sum256([]byte(credential))
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.younger[digest]; ok {
		return
	}
	if f.younger == nil || len(f.younger) >= familiarMost {
		f.younger, f.elder = make(map[[sha256.Size]byte]struct{}), f.younger
	}
	f.younger[digest] = struct{}{}
}

func (f *familiar) drop(credential string) {
	digest := sha256.Sum256([]byte(credential))
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.younger, digest)
	delete(f.elder, digest)
}
