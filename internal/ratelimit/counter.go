// Package ratelimit limits clients to a number of requests in a sliding window that
// all instances of the API share through Postgres. An exact limiter runs one
// statement, which judges a request and counts it. A batched limiter needs no query
// for a request: it counts in memory. A few times a second every instance adds its
// counts of the busier clients to the shared ones, and reads the counts of other
// instances for the same clients.
package ratelimit

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// flushEvery is how often counts are shared: the most that several instances
// together let through above a limit is what arrives in this time, and what
// each of them keeps to itself.
const flushEvery = 250 * time.Millisecond

// keptPart is the part of its limit that a client must have made at one
// instance before that is shared, a 20th: most clients never come near a limit,
// and a row for each of their requests would cost more than the request.
const keptPart = 20

// queryTimeout bounds a query on the request path.
const queryTimeout = time.Second

// Counter counts the requests of one bucket. It implements
// httprate.LimitCounter and is safe for concurrent use.
type Counter struct {
	bucket string
	store  *postgres.Store
	log    *slog.Logger
	clock  func() time.Time
	within time.Duration

	mu     sync.Mutex
	window time.Duration
	// worth is how many requests of a client are shared, and not fewer.
	worth  int
	counts map[slot]*count
	// unasked are slots of new clients, of which only the database knows.
	unasked []slot
}

// slot is one client in one window.
type slot struct {
	key   [sha256.Size]byte
	start int64
}

func (s slot) window() time.Time { return time.Unix(s.start, 0).UTC() }

// count is a slot's number of requests: the shared count of all instances, and the
// requests that this instance has counted since.
type count struct {
	shared  int
	pending int
}

// Option changes a counter and the limiters that go by it.
type Option func(*Counter)

// At replaces the machine's clock: windows begin and end, and slide, by this one.
func At(clock func() time.Time) Option { return func(c *Counter) { c.clock = clock } }

// Within is how long a query on the request path may take, and the last one of Run.
func Within(d time.Duration) Option { return func(c *Counter) { c.within = d } }

// New returns the counter of a bucket; Run must run for it to be shared.
func New(store *postgres.Store, bucket string, log *slog.Logger, options ...Option) *Counter {
	c := &Counter{bucket: bucket, store: store, log: log, clock: time.Now, within: queryTimeout, counts: map[slot]*count{}}
	for _, change := range options {
		change(c)
	}
	return c
}

// Config takes the limit and the window's length from the limiter.
func (c *Counter) Config(limit int, window time.Duration) {
	c.window, c.worth = window, limit/keptPart
}

// Increment counts one request.
func (c *Counter) Increment(key string, window time.Time) error {
	return c.IncrementBy(key, window, 1)
}

// IncrementBy counts several requests.
func (c *Counter) IncrementBy(key string, window time.Time, amount int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := slotOf(key, window)
	if c.counts[s] == nil {
		c.counts[s] = &count{}
	}
	c.counts[s].pending += amount
	return nil
}

// Get is how many requests a client has made in this window and in the one
// before, as far as it is known here.
func (c *Counter) Get(key string, current, previous time.Time) (now, before int, err error) {
	a, b := slotOf(key, current), slotOf(key, previous)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[b] == nil { // a client that is new here
		c.counts[b] = &count{}
		c.unasked = append(c.unasked, a, b)
	}
	if known := c.counts[a]; known != nil {
		now = known.shared + known.pending
	}
	return now, c.counts[b].shared + c.counts[b].pending, nil
}

func slotOf(key string, window time.Time) slot {
	return slot{sha256.Sum256([]byte(key)), window.Unix()}
}

// Run shares counts until ctx ends, then once more.
func (c *Counter) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			final, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.within)
			defer cancel()
			c.share(final, 1)
			return
		case now := <-tick.C:
			c.share(ctx, c.worth)
			if n%240 == 0 {
				c.forget(ctx, now)
			}
		}
	}
}

func (c *Counter) share(ctx context.Context, least int) {
	if err := c.exchange(ctx, least); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "rate counts are not shared", "bucket", c.bucket, "error", err)
	}
}

// findUnasked takes over what the database knows of the clients that are new here.
func (c *Counter) findUnasked(ctx context.Context) error {
	c.mu.Lock()
	slots := c.unasked
	c.unasked = nil
	c.mu.Unlock()
	if len(slots) == 0 {
		return nil
	}
	ask := db.FindRateCountsParams{Bucket: c.bucket}
	for _, s := range slots {
		ask.KeyHashes = append(ask.KeyHashes, s.key[:])
		ask.WindowStarts = append(ask.WindowStarts, s.window())
	}
	rows, err := c.store.FindRateCounts(ctx, ask)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.unasked = append(c.unasked, slots...)
		return fmt.Errorf("rate counts: %w", err)
	}
	for _, s := range slots {
		if c.counts[s] == nil {
			c.counts[s] = &count{}
		}
	}
	for _, r := range rows {
		known := c.counts[slotAt(r.KeyHash, r.WindowStart)]
		known.shared = max(known.shared, int(r.Count))
	}
	return nil
}

// Share adds the new counts of clients with enough requests to the shared counts,
// takes over their sums, and reads the counts of new clients. Counts that cannot be
// written or read are kept for the next time.
func (c *Counter) Share(ctx context.Context) error { return c.exchange(ctx, c.worth) }

// exchange is Share of the clients with at least so many requests.
func (c *Counter) exchange(ctx context.Context, least int) error {
	return errors.Join(c.add(ctx, least), c.findUnasked(ctx))
}

func (c *Counter) add(ctx context.Context, least int) error {
	batch := c.take(max(1, least))
	if len(batch.Counts) == 0 {
		return nil
	}
	rows, err := c.store.AddRateCounts(ctx, batch)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range batch.Counts {
		if known := c.counts[slotAt(batch.KeyHashes[i], batch.WindowStarts[i])]; known != nil {
			known.shared -= int(batch.Counts[i])
			if err != nil {
				known.pending += int(batch.Counts[i])
			}
		}
	}
	for _, r := range rows {
		if known := c.counts[slotAt(r.KeyHash, r.WindowStart)]; known != nil {
			known.shared = int(r.Count)
		}
	}
	return err
}

// take moves the pending requests of clients with at least so many to the shared
// part, where they stay visible while they are being written.
func (c *Counter) take(least int) db.AddRateCountsParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := db.AddRateCountsParams{Bucket: c.bucket}
	for s, known := range c.counts {
		if known.pending < least {
			continue
		}
		batch.KeyHashes = append(batch.KeyHashes, s.key[:])
		batch.WindowStarts = append(batch.WindowStarts, s.window())
		batch.Counts = append(batch.Counts, int32(known.pending))
		known.shared, known.pending = known.shared+known.pending, 0
	}
	return batch
}

func slotAt(keyHash []byte, window time.Time) slot {
	s := slot{start: window.Unix()}
	copy(s.key[:], keyHash)
	return s
}

// forget drops the windows that no limit looks at any more.
func (c *Counter) forget(ctx context.Context, now time.Time) {
	before := now.Add(-2 * c.window)
	c.mu.Lock()
	for s := range c.counts {
		if s.start < before.Unix() {
			delete(c.counts, s)
		}
	}
	c.mu.Unlock()
	if err := c.store.PruneRateCounts(ctx, db.PruneRateCountsParams{Bucket: c.bucket, Before: before}); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "old rate counts are not removed", "bucket", c.bucket, "error", err)
	}
}
