package activities_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/chain"
)

// TestScanThatLeavesSomethingIsNotQuiet: the next one then comes soon.
func TestScanThatLeavesSomethingIsNotQuiet(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	scan, err := b.watcher.Scanner("xmr")
	require.NoError(t, err)
	next := func() incoming.Outcome {
		t.Helper()
		b.now = b.now.Add(time.Second)
		outcome, err := scan(t.Context())
		require.NoError(t, err)
		return outcome
	}
	next() // the start
	require.Equal(t, incoming.Outcome{Quiet: true}, next())

	const unread = 15
	row := b.create(t, b.request("1"))
	b.xmr.unreadable = map[string]error{}
	for i := range unread {
		tx := fmt.Sprint("deposit ", i)
		b.xmr.unreadable[tx] = chain.ErrUnavailable
		b.deposit(row, tx, "0.1", 0)
	}
	for range 3 {
		next()
	}
	b.xmr.unreadable, b.now = nil, b.now.Add(time.Hour)
	require.False(t, next().Quiet, "origins are left to be asked for")
	require.True(t, next().Quiet)
	require.Empty(t, b.alerts(t))

	b.xmr.tip++
	require.Equal(t, incoming.Outcome{Block: true}, next())
	b.deposit(row, "another", "0.1", 0)
	require.True(t, next().Payment)
}
