package ratelimit

import (
	"context"
	"fmt"
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

// judgement is what became of a request.
type judgement struct {
	refused bool
	// left is how many more are let through, ends when the window does.
	left int
	ends time.Time
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
	j := judgement{left: e.limit - int(used), ends: window.Add(e.per)}
	if postgres.IsNotFound(err) {
		j.refused, j.left = true, 0
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
