package watch_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
)

// TestManyUnconfirmedPaymentsCostLittle leaves a thousand payments in the pool. A scan
// asks for at most a page of them, and for none while nothing changes. Even so, the
// watcher notices every change within a round.
func TestManyUnconfirmedPaymentsCostLittle(t *testing.T) {
	t.Parallel()
	const many, page = 1000, 100
	s := siteOf(t, 100)
	for i := range many {
		s.pay(fmt.Sprint("p", i))
	}
	more := true
	// until scans until a condition holds, and returns the number of scans.
	until := func(so func() bool) (scans int) {
		t.Helper()
		for ; !so(); scans++ {
			require.LessOrEqual(t, scans, 2*many/page+2)
			before := s.located
			more = s.scan(t).More
			require.LessOrEqual(t, s.located-before, 2*page)
		}
		return scans
	}
	until(func() bool { return len(s.store.Payments) == many })
	idle := func() bool {
		before, next := s.located, more
		more = s.scan(t).More
		require.True(t, next || s.located == before, "it asks for a page without need")
		return s.located == before
	}
	until(idle)
	for range 10 {
		require.True(t, idle())
	}
	// The daemon has seen conflicting transactions, which the wallet does not show.
	for hash := range s.at {
		s.at[hash] = chain.Location{State: chain.InPool, Contested: true}
	}
	require.True(t, idle(), "a double spend that only the daemon sees")
	s.now = s.now.Add(30 * time.Second)
	until(func() bool {
		for _, p := range s.store.Payments {
			if !p.Place.Contested {
				return false
			}
		}
		return true
	})
	until(idle)
	// A block holds one of the payments, so the daemon is asked for that one at once.
	s.mine(1)
	s.include("p7")
	s.scan(t)
	require.Equal(t, 100, s.height(t, "p7"))
	// Transactions that conflict with the last payments are mined. The wallet does not
	// notice that.
	for i := many - 10; i < many; i++ {
		s.drop(fmt.Sprint("p", i))
		s.hints[fmt.Sprint("p", i)] = 0
	}
	s.mine(1)
	until(func() bool {
		for i := many - 10; i < many; i++ {
			if !s.store.Payments[watch.Key{TxHash: fmt.Sprint("p", i), Address: fmt.Sprint("to p", i)}].Place.Dropped {
				return false
			}
		}
		return true
	})
	until(idle)
	require.True(t, idle(), "though the wallet goes on showing what was dropped")
}

// TestScanThatWasNotStoredAsksAgain lets the chain change during a scan, so its page
// is not stored.
func TestScanThatWasNotStoredAsksAgain(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	s.scan(t)
	s.drop("p")
	s.before = func() { s.pop(1); s.mine(1) }
	_, err := s.watcher.Scan(t.Context())
	require.ErrorIs(t, err, watch.ErrSuperseded)
	s.scan(t)
	require.Equal(t, dropped, s.height(t, "p"))
}
