package coin_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/coin"
)

// TestRulesOfForks: an unknown version has the rules of the nearest older one.
func TestRulesOfForks(t *testing.T) {
	t.Parallel()
	require.Equal(t, coin.MoneroNow(), coin.MoneroRulesOf(1))
	require.Equal(t, coin.MoneroNow(), coin.MoneroRulesOf(16))
	require.Equal(t, 128, coin.MoneroRulesOf(17).Inputs)
	require.Equal(t, coin.MoneroRulesOf(17), coin.MoneroRulesOf(99))
	for _, f := range coin.MoneroForks() {
		require.Equal(t, f.Version, coin.MoneroRulesOf(f.Version).Fork, "an announced fork has rules")
		require.Greater(t, f.Version, coin.MoneroNow().Fork)
	}
}

// TestNextMoneroFork: an announced fork is reported with the days until it. A fork that
// was never announced is reported when a tenth of the blocks of a day vote for it.
func TestNextMoneroFork(t *testing.T) {
	t.Parallel()
	announced := []coin.MoneroFork{{Version: 17, Height: 72_000}, {Version: 18}}
	votes := func(n int) map[int]int { return map[int]int{16: coin.VoteBlocks - n, 17: n - n/2, 18: n / 2} }
	for _, c := range []struct {
		name   string
		knows  int
		height uint64
		votes  map[int]int
		want   coin.NextFork
		ok     bool
	}{
		{"days are left", 16, 64_800, votes(0), coin.NextFork{Version: 17, Height: 72_000, Days: 10}, true},
		{"one block less is a day less", 16, 64_801, votes(0), coin.NextFork{Version: 17, Height: 72_000, Days: 9}, true},
		{"it has come", 16, 80_000, votes(7), coin.NextFork{Version: 17, Height: 72_000, Votes: 7}, true},
		{"the daemon knows it, and the next has no height", 17, 64_800, votes(72), coin.NextFork{}, false},
		{"votes for what nobody announced", 17, 64_800, votes(144), coin.NextFork{Version: 18, Votes: 72}, true},
		{"too few", 17, 64_800, votes(142), coin.NextFork{}, false},
		{"the daemon knows all", 18, 64_800, votes(720), coin.NextFork{}, false},
		{"no blocks", 18, 0, nil, coin.NextFork{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			next, ok := coin.NextMoneroFork(c.knows, c.height, c.votes, announced)
			require.Equal(t, c.ok, ok)
			require.Equal(t, c.want, next)
		})
	}
}
