package ratelimit

import (
	"context"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// exact counts in the database alone. One statement judges and counts, so that
// requests that come at the same time are judged one after the other. Who was
// refused is refused without it for as long as it would refuse for certain.
type exact struct {
	counter *Counter
	limit   int
	per     time.Duration
	refused refused
}

// judge is count that logs a fault. A nil q is no transaction.
func (e *exact) judge(ctx context.Context, q *db.Queries, client string) (judgement, error) {
	if q == nil {
		q = e.counter.store.Queries
	}
	found, err := e.count(ctx, q, client)
	if err != nil {
		e.counter.log.WarnContext(ctx, "a request is not counted", "bucket", e.counter.bucket, "error", err)
	}
	return found, err
}

// count counts a request unless it exceeds the limit. Refused requests are not
// counted. Requests of the previous window count by the share of it that the
// sliding window still covers.
func (e *exact) count(ctx context.Context, q *db.Queries, client string) (judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, e.counter.within)
	defer cancel()
	now := e.counter.clock().UTC()
	window := now.Truncate(e.per)
	s := slotOf(client, window)
	if e.refused.has(s.key, now) {
		return judgement{refused: true, ends: window.Add(e.per)}, nil
	}
	used, err := q.AdmitRequest(ctx, db.AdmitRequestParams{
		Bucket: e.counter.bucket, KeyHash: s.key[:], WindowStart: window, LastWindow: window.Add(-e.per),
		Weight: 1 - float64(now.Sub(window))/float64(e.per), Most: int32(e.limit),
	})
	j := judgement{remaining: e.limit - int(used), ends: window.Add(e.per)}
	if postgres.IsNotFound(err) {
		j.refused, j.remaining = true, 0
		return j, e.remember(ctx, q, s)
	}
	if err != nil {
		return j, fmt.Errorf("rate counts: %w", err)
	}
	return j, nil
}

// remember asks for the counts that a client was refused by, and remembers
// until when it will be. In a transaction they may be its own, and come to
// nothing: then nothing is remembered.
func (e *exact) remember(ctx context.Context, q *db.Queries, s slot) error {
	if q != e.counter.store.Queries {
		return nil
	}
	before := slot{s.key, s.window().Add(-e.per).Unix()}
	rows, err := q.FindRateCounts(ctx, db.FindRateCountsParams{
		Bucket: e.counter.bucket, KeyHashes: [][]byte{s.key[:], s.key[:]}, WindowStarts: []time.Time{s.window(), before.window()},
	})
	if err != nil {
		return fmt.Errorf("rate counts: %w", err)
	}
	counts := map[slot]int{}
	for _, r := range rows {
		counts[slotAt(r.KeyHash, r.WindowStart)] = int(r.Count)
	}
	e.refused.remember(s.key, placeAt(s.window(), e.per, e.limit, counts[s], counts[before]))
	return nil
}

// refusedMost is how many clients are remembered as refused, at most.
const refusedMost = 10_000

// refused remembers until when the database would refuse clients for certain, so
// that their requests until then cost no statement. When it is full it forgets all
// clients, and Limiter asks the database for each of them.
type refused struct {
	mu    sync.Mutex
	until map[[sha256.Size]byte]time.Time
}

func (r *refused) has(key [sha256.Size]byte, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return now.Before(r.until[key])
}

func (r *refused) remember(key [sha256.Size]byte, until time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil || len(r.until) >= refusedMost {
		r.until = map[[sha256.Size]byte]time.Time{}
	}
	r.until[key] = until
}

// placeAt returns when a place is free again in the window that began at start, or
// the window's end. The requests of the window before (last) weigh less and less.
// Those of this window (now) stay, and more can only be added, so no place is free
// any earlier. The result is a moment early, because the database rounds.
func placeAt(start time.Time, per time.Duration, most, now, last int) time.Time {
	const moment = time.Millisecond
	end := start.Add(per)
	room := float64(most-1-now) + 0.5 // the weight that remains for the last window, as it is rounded
	if room < 0 || last == 0 {
		return end
	}
	share := room / float64(last)
	return start.Add(time.Duration((1-share)*float64(per)) - moment)
}
