package ratelimit

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// TestExactWindowSlides: requests of the minute before count by the share of it
// that is less than a minute ago.
func TestExactWindowSlides(t *testing.T) {
	t.Parallel()
	begin := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	at := begin
	clock := At(func() time.Time { return at })
	e := &exact{counter: New(pgtest.New(t), "writes", slog.Default(), clock, Within(time.Minute)), limit: 10, per: time.Minute}
	for _, c := range []struct {
		after    time.Duration
		admitted int
	}{{0, 10}, {59 * time.Second, 0}, {time.Minute, 0}, {90 * time.Second, 5}, {2 * time.Minute, 5}, {4 * time.Minute, 10}} {
		at = begin.Add(c.after)
		admitted := 0
		for {
			j, err := e.count(t.Context(), e.counter.store.Queries, "x")
			require.NoError(t, err)
			if j.refused {
				break
			}
			admitted++
		}
		require.Equal(t, c.admitted, admitted, c.after)
	}
}
