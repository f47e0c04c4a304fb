package ratelimit

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// exact counts in the database alone. One statement judges and counts, so that
// requests that come at the same time are judged one after the other.
type exact struct {
	counter *Counter
	limit   int
	per     time.Duration
}

// judgement is what became of a request.
type judgement struct {
	refused bool
	// left is how many more are let through, ends when the window does.
	left int
	ends time.Time
}

// count counts a request unless it is one too many. What is refused is not
// counted. Requests of the window before count by the share of it that the
// sliding window still reaches.
func (e *exact) count(ctx context.Context, q *db.Queries, client string) (judgement, error) {
	ctx, cancel := context.WithTimeout(ctx, e.counter.within)
	defer cancel()
	now := e.counter.clock().UTC()
	window := now.Truncate(e.per)
	s := slotOf(client, window)
	used, err := q.AdmitRequest(ctx, db.AdmitRequestParams{
		Bucket: e.counter.bucket, KeyHash: s.key[:], WindowStart: window, LastWindow: window.Add(-e.per),
		Weight: 1 - float64(now.Sub(window))/float64(e.per), Most: int32(e.limit),
	})
	j := judgement{left: e.limit - int(used), ends: window.Add(e.per)}
	if postgres.IsNotFound(err) {
		j.refused, j.left = true, 0
		return j, nil
	}
	if err != nil {
		return j, fmt.Errorf("rate counts: %w", err)
	}
	return j, nil
}
