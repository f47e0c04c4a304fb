package ratelimit

import (
	"log/slog"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
)

// admittedAt is how many requests a client may make at each of the moments,
// one after the other.
func (e *exact) admittedAt(t *testing.T, client string, moments ...time.Time) ([]int, error) {
	t.Helper()
	admitted := make([]int, len(moments))
	for i, at := range moments {
		for {
			j, err := e.count(t.Context(), e.counter.store.Queries, client, at)
			if err != nil {
				return nil, err
			}
			if j.refused {
				break
			}
			admitted[i]++
		}
	}
	return admitted, nil
}

// TestExactWindowSlides: requests of the minute before count by the share of it
// that is less than a minute ago. Where a count takes too long nobody knows
// whether it was made: another client is counted then.
func TestExactWindowSlides(t *testing.T) {
	t.Parallel()
	e := &exact{New(pgtest.New(t), "writes", slog.Default()), 10, time.Minute}
	begin := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	var admitted []int
	var err error
	for n := range 100 {
		admitted, err = e.admittedAt(t, strconv.Itoa(n), begin, begin.Add(59*time.Second), begin.Add(time.Minute),
			begin.Add(90*time.Second), begin.Add(2*time.Minute), begin.Add(4*time.Minute))
		if err == nil {
			break
		}
	}
	require.NoError(t, err)
	require.Equal(t, []int{10, 0, 0, 5, 5, 10}, admitted)
}
