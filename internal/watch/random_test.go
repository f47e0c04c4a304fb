package watch_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
	_ "github.com/durapay/durapay/tools/testseed"
)

// TestWhateverHappensTheRowsSayWhatTheDaemonSays lets payments come and go, replaces
// blocks, lets the wallet show old heights until the next block, and lets the
// watcher die, in any order. At no time may a payment be mature unless the daemon
// showed it that deep at the last scan. In the end every payment is stored at its
// place in the daemon.
func TestWhateverHappensTheRowsSayWhatTheDaemonSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		s := siteOf(r, 200)
		s.watcher.PageBlocks = uint64(rapid.SampledFrom([]int{500, 1000}).Draw(r, "page"))
		for range rapid.IntRange(1, 60).Draw(r, "steps") {
			s.step(r)
		}
		s.mine(1)
		clear(s.hints)
		s.catchUp(r)
		for range 3 { // dropped payments are asked for in turn
			s.now = s.now.Add(time.Minute)
			s.scan(r)
		}
		s.requireTruth(r)
		for hash, l := range s.at {
			if l.State != chain.Unknown {
				require.NotNil(r, s.payment(hash), "%s was never seen", hash)
			}
		}
	})
}

// step makes one change, and may scan after it.
func (s *site) step(r *rapid.T) {
	r.Helper()
	all := make([]string, 0, len(s.at))
	for hash := range s.at {
		all = append(all, hash)
	}
	slices.Sort(all)
	some := func() []string {
		return slices.DeleteFunc(slices.Clone(all), func(string) bool { return rapid.Bool().Draw(r, "not this one") })
	}
	switch rapid.IntRange(0, 6).Draw(r, "what") {
	case 0:
		s.pay(fmt.Sprint("p", len(all)))
	case 1: // a block with some of the pool
		s.mine(1)
		clear(s.hints)
		for _, hash := range some() {
			if s.at[hash].State == chain.InPool {
				s.include(hash)
			}
		}
	case 2:
		s.mine(rapid.IntRange(1, 80).Draw(r, "blocks"))
		clear(s.hints)
	case 3:
		s.reorganize(r, some())
	case 4: // out of the pool
		for _, hash := range some() {
			if s.at[hash].State == chain.InPool {
				s.drop(hash)
			}
		}
	case 5: // sent again; the wallet does not list a payment that it already knew
		for _, hash := range some() {
			if s.at[hash].State == chain.Unknown {
				s.at[hash] = chain.Location{State: chain.InPool}
				if s.payment(hash) != nil {
					s.hints[hash] = -1
				}
			}
		}
	case 6:
		page := s.watcher.PageBlocks
		s.restart()
		s.watcher.PageBlocks = page
	}
	if rapid.Bool().Draw(r, "scan") {
		later := rapid.Bool().Draw(r, "later")
		if later {
			s.now = s.now.Add(time.Minute)
		}
		if _, err := s.watcher.Scan(r.Context()); err != nil && !errors.Is(err, chain.ErrLagging) {
			require.ErrorIs(r, err, watch.ErrSuperseded)
		} else if err == nil && later && s.store.At.Hash == s.blocks[s.tip()] {
			s.requireTruth(r)
		}
	}
}

// reorganize replaces blocks by at least as many. The wallet continues to show the
// old heights.
func (s *site) reorganize(r *rapid.T, again []string) {
	depth := rapid.SampledFrom([]int{1, 2, 5, 20, 59, 61, 150}).Draw(r, "depth")
	for hash, l := range s.at {
		if l.State == chain.Mined {
			s.hints[hash] = int(l.Height)
		}
	}
	s.pop(depth)
	s.mine(depth + rapid.IntRange(0, 3).Draw(r, "longer"))
	for _, hash := range again {
		if s.at[hash].State == chain.InPool {
			s.at[hash] = chain.Location{State: chain.Mined, Height: s.tip() - uint64(rapid.IntRange(0, depth-1).Draw(r, "below"))}
			// If the watcher never saw the payment, it cannot find it again by itself. It only
			// reads a few blocks again.
			seen := s.store.At.Height > s.tip()-uint64(depth) || depth <= 5
			if _, known := s.hints[hash]; !known && seen {
				s.hints[hash] = -1
			}
		}
	}
}

// requireTruth compares the rows with the daemon, after a scan up to the tip.
func (s *site) requireTruth(t tb) {
	t.Helper()
	for _, p := range s.store.Payments {
		switch l := s.at[p.TxHash]; {
		case l.State == chain.Mined:
			require.Equal(t, int(l.Height), s.height(t, p.TxHash))
			require.Equal(t, l.Height+10 <= s.store.At.Height, p.Mature, p.TxHash)
		case l.State == chain.InPool && !p.Place.Dropped:
			require.Equal(t, inPool, s.height(t, p.TxHash))
			require.False(t, p.Mature)
		default: // the watcher finds a resent payment a little later
			require.Equal(t, dropped, s.height(t, p.TxHash))
			require.False(t, p.Mature)
		}
	}
}
