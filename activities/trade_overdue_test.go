package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/overdue"
)

// TestTradesAfterTheirDeadlinesAreOverdue has nobody look at them.
func TestTradesAfterTheirDeadlinesAreOverdue(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	find := func(after time.Duration) (ids []string) {
		items, err := overdue.Find(t.Context(), b.store.Queries, overdue.Search{Now: start.Add(after), Grace: 2 * time.Hour, MaxRows: 10})
		require.NoError(t, err)
		for _, i := range items {
			require.Equal(t, overdue.Trade, i.Kind)
			ids = append(ids, i.ID)
		}
		return ids
	}
	waiting, pool, block, deep := b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1")), b.create(t, b.request("1"))
	// Each deposit that is shown comes with a block, which makes the ones before it deeper.
	b.deposit(deep, "deep", "1", 1)
	b.advance(t, deep.ID)
	b.deposit(pool, "pool", "1", 0)
	b.advance(t, pool.ID)
	b.deposit(block, "block", "1", 1)
	b.advance(t, block.ID)
	minutes := func(n int) time.Duration { return time.Duration(n)*time.Minute + time.Second }
	require.Empty(t, find(minutes(14)))
	require.ElementsMatch(t, []string{deep.ID}, find(minutes(15)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID}, find(minutes(75)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID}, find(minutes(195)))
	require.ElementsMatch(t, []string{deep.ID, waiting.ID, pool.ID, block.ID}, find(minutes(315)))
}
