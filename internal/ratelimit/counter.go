// Package ratelimit counts requests for go-chi/httprate's sliding window, in
// memory on the request path and in Postgres behind it, so that all instances
// of the API share one count. A small limit is counted exactly: each request is
// written at once and reads what others wrote. Under a large one a request
// costs no query unless its client is new in the window; every instance adds
// what it counted a few times a second, and learns the sum.
package ratelimit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// flushEvery is how often counts are shared: the most that several instances
// together let through above a limit is what arrives in this time.
const flushEvery = 250 * time.Millisecond

// exactUpTo is the largest limit that is counted exactly.
const exactUpTo = 60

// queryTimeout bounds a query on the request path.
const queryTimeout = time.Second

// Counter counts the requests of one bucket. It implements
// httprate.LimitCounter and is safe for concurrent use.
type Counter struct {
	bucket string
	store  *postgres.Store
	log    *slog.Logger

	mu     sync.Mutex
	window time.Duration
	exact  bool
	counts map[slot]*count
}

// slot is one client in one window.
type slot struct {
	key   [sha256.Size]byte
	start int64
}

// count is what is known of a slot: what all instances have shared, and what
// this one has counted since.
type count struct {
	shared  int
	pending int
}

// New returns the counter of a bucket; Run must run for it to be shared.
func New(store *postgres.Store, bucket string, log *slog.Logger) *Counter {
	return &Counter{bucket: bucket, store: store, log: log, counts: map[slot]*count{}}
}

// Config takes the limit and the window's length from the limiter.
func (c *Counter) Config(limit int, window time.Duration) {
	c.window, c.exact = window, limit <= exactUpTo
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
// before. A client that is new here is looked up once per window.
func (c *Counter) Get(key string, current, previous time.Time) (now, before int, err error) {
	a, b := slotOf(key, current), slotOf(key, previous)
	c.mu.Lock()
	known, last := c.counts[a], c.counts[b]
	c.mu.Unlock()
	if known == nil || last == nil {
		if known, last, err = c.load(a, b, current, previous); err != nil {
			return 0, 0, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return known.shared + known.pending, last.shared + last.pending, nil
}

// learn makes sure that Get can answer from memory for a client.
func (c *Counter) learn(key string, now time.Time) error {
	current := now.UTC().Truncate(c.window)
	previous := current.Add(-c.window)
	a, b := slotOf(key, current), slotOf(key, previous)
	c.mu.Lock()
	known := c.counts[a] != nil && c.counts[b] != nil
	c.mu.Unlock()
	if known && !c.exact {
		return nil
	}
	_, _, err := c.load(a, b, current, previous)
	return err
}

// settle shares at once what an exact counter has counted. What cannot be
// written is kept for the next time.
func (c *Counter) settle(ctx context.Context) {
	if !c.exact {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
	defer cancel()
	c.share(ctx)
}

func slotOf(key string, window time.Time) slot {
	return slot{sha256.Sum256([]byte(key)), window.Unix()}
}

// load asks what other instances have counted.
func (c *Counter) load(a, b slot, current, previous time.Time) (known, last *count, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), queryTimeout)
	defer cancel()
	rows, err := c.store.GetRateCounts(ctx, db.GetRateCountsParams{
		Bucket: c.bucket, KeyHash: a.key[:], WindowStarts: []time.Time{current, previous},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("rate counts: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range []slot{a, b} {
		if c.counts[s] == nil {
			c.counts[s] = &count{}
		}
	}
	for _, r := range rows {
		known := c.counts[slot{a.key, r.WindowStart.Unix()}]
		known.shared = max(known.shared, int(r.Count))
	}
	return c.counts[a], c.counts[b], nil
}

// Run shares counts until ctx ends, then once more.
func (c *Counter) Run(ctx context.Context) {
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			final, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
			defer cancel()
			c.share(final)
			return
		case now := <-tick.C:
			c.share(ctx)
			if n%240 == 0 {
				c.forget(ctx, now)
			}
		}
	}
}

func (c *Counter) share(ctx context.Context) {
	if err := c.Share(ctx); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "rate counts are not shared", "bucket", c.bucket, "error", err)
	}
}

// Share adds what was counted since the last time to the shared counts and
// takes over their sums. What cannot be written is kept for the next time.
func (c *Counter) Share(ctx context.Context) error {
	batch := c.take()
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

// take moves what is pending to the shared part, where it stays visible while
// it is being written.
func (c *Counter) take() db.AddRateCountsParams {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch := db.AddRateCountsParams{Bucket: c.bucket}
	for s, known := range c.counts {
		if known.pending == 0 {
			continue
		}
		batch.KeyHashes = append(batch.KeyHashes, s.key[:])
		batch.WindowStarts = append(batch.WindowStarts, time.Unix(s.start, 0).UTC())
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
	for s, known := range c.counts {
		if s.start < before.Unix() && known.pending == 0 {
			delete(c.counts, s)
		}
	}
	c.mu.Unlock()
	if err := c.store.PruneRateCounts(ctx, db.PruneRateCountsParams{Bucket: c.bucket, Before: before}); err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "old rate counts are not removed", "bucket", c.bucket, "error", err)
	}
}
