package watch_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

var begin = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

// tb is a test or one run of a property test.
type tb interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// site is a fixture with a watcher.
type site struct {
	*fixture

	store   *watchtest.Store
	watcher *watch.Watcher
	now     time.Time
	older   int
}

func siteOf(t tb, blocks int) *site {
	t.Helper()
	s := &site{fixture: newFixture(blocks), store: watchtest.NewStore(), now: begin}
	s.restart()
	s.catchUp(t)
	return s
}

// restart replaces the watcher by a new one without its memory.
func (s *site) restart() {
	s.watcher = &watch.Watcher{
		Wallet: s.fixture, Store: s.store, Clock: func() time.Time { s.now = s.now.Add(time.Second); return s.now },
		OlderFile: func(context.Context) error { s.older++; return nil },
	}
}

func (s *site) scan(t tb) watch.Scanned {
	t.Helper()
	found, err := s.watcher.Scan(t.Context())
	require.NoError(t, err)
	return found
}

func (s *site) catchUp(t tb) {
	t.Helper()
	for scans := 0; s.store.At.Height != s.tip()+1 || s.store.At.Hash != s.blocks[s.tip()]; scans++ {
		require.Less(t, scans, 1000)
		s.scan(t)
	}
}

func (s *site) payment(hash string) *watchtest.Payment {
	return s.store.Payments[watch.Key{TxHash: hash, Address: "to " + hash}]
}

// height returns the height at which a payment is stored; -1 in the pool, -2 if it
// was dropped.
func (s *site) height(t tb, hash string) int {
	t.Helper()
	p := s.payment(hash)
	require.NotNil(t, p, "%s is not stored", hash)
	switch {
	case p.Place.Dropped:
		return -2
	case p.Place.Height == nil:
		return -1
	}
	return int(*p.Place.Height)
}

const (
	inPool  = -1
	dropped = -2
)

// TestPaymentBackInThePoolIsInNoBlock tests a payment that a reorganization put
// back into the pool, where the daemon keeps it for days. The wallet does not list
// it, or continues to show its old block. It never matures there.
func TestPaymentBackInThePoolIsInNoBlock(t *testing.T) {
	t.Parallel()
	for name, hint := range map[string]int{"hidden": -1, "at its old height": 101, "in the pool": 0} {
		s := siteOf(t, 100)
		s.pay("p")
		s.scan(t)
		s.mine(2)
		s.include("p")
		s.scan(t)
		require.Equal(t, 101, s.height(t, "p"), name)
		s.pop(1)
		s.hints["p"] = hint
		s.mine(2)
		s.scan(t)
		require.Equal(t, inPool, s.height(t, "p"), name)
		s.mine(30)
		s.scan(t)
		require.Equal(t, inPool, s.height(t, "p"), name)
		require.False(t, s.payment("p").Mature, name)
		s.mine(1)
		s.include("p")
		s.scan(t)
		require.Equal(t, int(s.tip()), s.height(t, "p"), name)
	}
}

// TestPaymentMaturesOnlyWhereTheDaemonShowsIt removes a payment from its block
// without a trace in the chain, just when the payment would mature.
func TestPaymentMaturesOnlyWhereTheDaemonShowsIt(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("stays")
	s.pay("leaves")
	s.mine(1)
	s.include("stays")
	s.include("leaves")
	s.scan(t)
	s.mine(8)
	s.scan(t)
	s.at["leaves"] = chain.Location{State: chain.InPool}
	require.False(t, s.payment("stays").Mature)
	s.mine(1)
	s.scan(t)
	require.True(t, s.payment("stays").Mature)
	require.False(t, s.payment("leaves").Mature)
	require.Equal(t, inPool, s.height(t, "leaves"))
}

// TestDroppedPaymentThatIsSentAgain checks that the watcher finds the payment in
// the pool although the wallet does not list it a second time.
func TestDroppedPaymentThatIsSentAgain(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	s.scan(t)
	s.drop("p")
	s.scan(t)
	require.Equal(t, dropped, s.height(t, "p"))
	notified := len(s.store.Notified)
	s.scan(t)
	require.Len(t, s.store.Notified, notified, "it is dropped once")
	s.hints["p"] = -1
	s.at["p"] = chain.Location{State: chain.InPool}
	s.now = s.now.Add(30 * time.Second)
	s.scan(t)
	require.Equal(t, inPool, s.height(t, "p"))
	require.Len(t, s.store.Notified, notified+1)
}

// TestAllDroppedPaymentsAreAskedForInTurn has more dropped payments than a scan
// asks for.
func TestAllDroppedPaymentsAreAskedForInTurn(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	for i := range 250 {
		s.pay(fmt.Sprint(i))
	}
	for range 3 {
		s.scan(t)
	}
	for i := range 250 {
		s.drop(fmt.Sprint(i))
	}
	for range 3 {
		s.scan(t)
	}
	for i := range 250 {
		s.hints[fmt.Sprint(i)] = -1
		s.at[fmt.Sprint(i)] = chain.Location{State: chain.InPool}
	}
	s.now = s.now.Add(30 * time.Second)
	for range 4 {
		before := s.located
		s.scan(t)
		require.LessOrEqual(t, s.located-before, 200, "at most a hundred of those that are dropped")
	}
	for i := range 250 {
		require.Equal(t, inPool, s.height(t, fmt.Sprint(i)))
	}
}

// TestAnswersCountAsOfOneTip lets the chain change while the daemon is asked. The
// watcher must not store any of these answers.
func TestAnswersCountAsOfOneTip(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	s.mine(1)
	s.include("p")
	s.before = func() { s.pop(1); s.mine(3) }
	_, err := s.watcher.Scan(t.Context())
	require.ErrorIs(t, err, watch.ErrSuperseded)
	require.Empty(t, s.store.Payments)
	s.scan(t)
	require.Equal(t, inPool, s.height(t, "p"))
	// A block on top of the tip does not change the answers. A payment in that block
	// counts as in the pool until the next scan.
	s.mine(1)
	s.before = func() { s.mine(1); s.include("p") }
	s.scan(t)
	require.Equal(t, inPool, s.height(t, "p"))
	s.scan(t)
	require.Equal(t, int(s.tip()), s.height(t, "p"))
}

// TestScanCostsWhatIsNew has many payments in the past. It counts the calls to
// wallet and daemon at rest, with a new block, and at a start.
func TestScanCostsWhatIsNew(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	const many = 5000
	for i := range many {
		if i%50 == 0 {
			s.mine(1)
		}
		s.pay(fmt.Sprint(i))
		s.include(fmt.Sprint(i))
	}
	s.mine(chain.Depth + 10)
	s.catchUp(t)
	require.Len(t, s.store.Payments, many)
	cost := func() (listed, located int) {
		l, a := s.listed, s.located
		s.scan(t)
		return s.listed - l, s.located - a
	}
	listed, located := cost()
	require.Equal(t, []int{0, 0}, []int{listed, located}, "at rest")
	s.mine(1)
	listed, located = cost()
	require.Equal(t, []int{0, 0}, []int{listed, located}, "after a block")
	s.mine(1)
	s.pay("new")
	s.include("new")
	listed, located = cost()
	require.Equal(t, []int{1, 1}, []int{listed, located}, "after a payment")
	s.restart()
	listed, located = cost()
	require.Equal(t, []int{1, 1}, []int{listed, located}, "at a start")
	s.pop(1)
	s.mine(2)
	listed, located = cost()
	require.Equal(t, []int{1, 1}, []int{listed, located}, "after a reorganization")
}

// TestLongCatchUpIsDoneInPages kills the watcher after each page, and lets the
// wallet answer in time only for few blocks.
func TestLongCatchUpIsDoneInPages(t *testing.T) {
	t.Parallel()
	for _, longest := range []uint64{0, 10, 1} {
		s := siteOf(t, 100)
		blocks := 3500
		if longest > 0 {
			blocks = 300
		}
		s.longest = longest
		for i := range blocks {
			s.mine(1)
			if i%100 == 0 {
				s.pay(fmt.Sprint(i))
				s.include(fmt.Sprint(i))
			}
		}
		for passes := 0; s.store.At.Height != s.tip()+1; passes++ {
			require.Less(t, passes, 2000)
			if longest == 0 {
				s.restart()
			}
			found, err := s.watcher.Scan(t.Context())
			if err != nil {
				require.ErrorIs(t, err, chain.ErrUnavailable)
				continue
			}
			require.Equal(t, s.store.At.Height != s.tip()+1, found.More, "the next scan has blocks to read")
		}
		require.Len(t, s.store.Payments, blocks/100)
		require.LessOrEqual(t, s.largest, uint64(watch.PageBlocks+10))
		for hash, l := range s.at {
			require.Equal(t, int(l.Height), s.height(t, hash))
		}
	}
}

// TestDeepReorganizationGoesBackToItsBeginning replaces more blocks than
// chain.Depth.
func TestDeepReorganizationGoesBackToItsBeginning(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	for i := range 3000 {
		s.mine(1)
		if i%500 == 0 {
			s.pay(fmt.Sprint(i))
			s.include(fmt.Sprint(i))
		}
	}
	s.catchUp(t)
	require.NotEmpty(t, s.store.Checkpoints)
	s.pop(1400) // 2000 and 2500 go back into the pool
	s.drop("2000")
	s.mine(1400)
	s.include("2500")
	s.mine(1)
	s.largest = 0
	for range 10 {
		s.restart()
		s.scan(t)
	}
	s.catchUp(t)
	require.LessOrEqual(t, s.largest, uint64(watch.PageBlocks+10))
	require.Equal(t, dropped, s.height(t, "2000"))
	require.Equal(t, int(s.at["2500"].Height), s.height(t, "2500"))
	require.Equal(t, int(s.at["1500"].Height), s.height(t, "1500"))
	require.True(t, s.payment("1500").Mature)
	require.False(t, s.payment("2500").Mature)
	s.mine(chain.Depth)
	s.catchUp(t)
	require.True(t, s.payment("2500").Mature)
	for height, hash := range s.store.Checkpoints {
		require.Equal(t, s.blocks[height-1], hash)
	}
}

func TestShorterChainNotifiesNoWorkflow(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	s.mine(1)
	s.include("p")
	s.scan(t)
	s.pop(1)
	_, err := s.watcher.Scan(t.Context())
	require.ErrorIs(t, err, chain.ErrLagging)
	lag, ok := errors.AsType[*chain.LagError](err)
	require.True(t, ok)
	require.EqualValues(t, 1, lag.Blocks)
	require.Equal(t, 100, s.height(t, "p"))
	s.mine(1)
	s.scan(t)
	require.Equal(t, inPool, s.height(t, "p"))
}

func TestPaymentOfNothingIsNone(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	r := s.pay("nothing")
	r.Amount = 0
	s.paid["nothing"] = r
	s.pay("something")
	s.scan(t)
	require.Nil(t, s.payment("nothing"))
	require.NotNil(t, s.payment("something"))
}

func TestPaymentThatTheDaemonDoesNotKnowIsNotStored(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	s.drop("p")
	s.hints["p"] = 0
	s.scan(t)
	require.Empty(t, s.store.Payments)
	s.hints["p"] = 90
	s.restart()
	s.scan(t)
	require.Empty(t, s.store.Payments, "not in a block either")
}

// TestScanThatIsSupersededStoresNothing lets another watcher store its scan first.
func TestScanThatIsSupersededStoresNothing(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("p")
	other := &watch.Watcher{Wallet: s.fixture, Store: s.store, Clock: s.watcher.Clock, OlderFile: s.watcher.OlderFile}
	s.before = func() {
		_, err := other.Scan(t.Context())
		require.NoError(t, err)
	}
	_, err := s.watcher.Scan(t.Context())
	require.ErrorIs(t, err, watch.ErrSuperseded)
	require.Len(t, s.store.Notified, 1)
	s.scan(t)
	require.Len(t, s.store.Notified, 1)
}

// TestOlderWalletFileIsRepaired restores a wallet that does not know the addresses
// that were handed out, and lets the watcher die at each step.
func TestOlderWalletFileIsRepaired(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 3000)
	s.store.Highest = 40
	s.pay("p")
	s.at["p"] = chain.Location{State: chain.Mined, Height: 500} // the wallet has scanned past it
	s.restart()
	s.failing = errors.New("died in the rescan")
	_, err := s.watcher.Scan(t.Context())
	require.Error(t, err)
	require.True(t, s.store.At.Rescan)
	require.Equal(t, []string{"adopt 40", "rescan"}, s.repaired)
	require.Equal(t, 1, s.older)
	s.failing = nil
	s.restart() // the wallet knows all addresses now, and has not read the chain
	s.scan(t)
	require.Equal(t, []string{"adopt 40", "rescan", "adopt 40", "rescan"}, s.repaired)
	require.False(t, s.store.At.Rescan)
	require.Equal(t, 1, s.older, "it is said once")
	s.catchUp(t)
	require.Equal(t, 500, s.height(t, "p"))
	s.restart()
	s.scan(t)
	require.Len(t, s.repaired, 4, "once repaired it is as any other")
	// The watcher also notices a wallet that is restarted while the watcher is
	// running.
	s.failing = chain.ErrUnavailable
	_, err = s.watcher.Scan(t.Context())
	require.Error(t, err)
	s.failing, s.known = nil, 3
	s.scan(t)
	require.Len(t, s.repaired, 6)
	s.catchUp(t)
	s.scan(t)
	// It also notices a wallet that was restarted between two scans: when a block
	// comes that may hold payments to the forgotten addresses.
	s.known = 3
	s.scan(t)
	require.Len(t, s.repaired, 6, "nobody asks while no block comes")
	s.mine(1)
	s.scan(t)
	s.scan(t)
	require.Len(t, s.repaired, 8)
	require.Equal(t, 2+1, s.older)
}

// TestLockedPaymentMaturesWhenItCanBeSpent follows a lock by height that the
// wallet reports late, and a lock by time.
func TestLockedPaymentMaturesWhenItCanBeSpent(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pay("height")
	byTime := s.pay("time")
	byTime.UnlockAt = begin.Add(24 * time.Hour)
	s.paid["time"] = byTime
	s.mine(1)
	s.include("height")
	s.include("time")
	s.scan(t)
	locked := s.paid["height"]
	locked.UnlockHeight = 300
	s.paid["height"] = locked
	s.restart()
	s.scan(t)
	s.mine(50)
	s.scan(t)
	require.False(t, s.payment("height").Mature)
	require.False(t, s.payment("time").Mature)
	s.mine(300 - 151)
	s.scan(t)
	require.True(t, s.payment("height").Mature)
	s.now = begin.Add(25 * time.Hour)
	s.scan(t)
	require.True(t, s.payment("time").Mature)
}

func TestContestedPayment(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	r := s.pay("p")
	s.scan(t)
	r.Contested = true
	s.paid["p"] = r
	s.scan(t)
	require.True(t, s.payment("p").Place.Contested)
	notified := len(s.store.Notified)
	s.scan(t)
	require.Len(t, s.store.Notified, notified)
	s.mine(1)
	s.include("p")
	s.scan(t)
	require.False(t, s.payment("p").Place.Contested, "a block has decided")
}

// TestBlocksAreReadAgainAfterAReorganization has a payment that is only in the new
// blocks. The wallet shows it only with the block after them.
func TestBlocksAreReadAgainAfterAReorganization(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	s.pop(1)
	s.mine(1)
	s.pay("p")
	s.include("p")
	s.hints["p"] = -1
	s.scan(t)
	require.Nil(t, s.payment("p"))
	s.scan(t)
	s.mine(1)
	clear(s.hints)
	s.scan(t)
	require.Equal(t, 99, s.height(t, "p"))
}

// TestNewWalletStartsAtTheTip reads no block before the first scan, whatever the chain does.
func TestNewWalletStartsAtTheTip(t *testing.T) {
	t.Parallel()
	s := &site{fixture: newFixture(5000), store: watchtest.NewStore(), now: begin}
	s.lowest = math.MaxUint64
	restart := func() {
		s.restart()
		s.watcher.FromTip = true
	}
	restart()
	s.pay("before")
	s.include("before")
	s.mine(100)
	require.Zero(t, s.scan(t).Behind)
	require.Zero(t, s.largest)
	require.EqualValues(t, 5100, s.store.At.Height)
	s.pay("after")
	s.mine(1)
	s.include("after")
	s.scan(t)
	require.Equal(t, 5100, s.height(t, "after"))
	restart()
	s.catchUp(t)
	s.mine(3000)
	s.catchUp(t)
	s.pop(3100)
	s.drop("before")
	s.mine(3200)
	s.include("after")
	s.catchUp(t)
	require.Equal(t, int(s.tip()), s.height(t, "after"))
	require.NoError(t, s.store.AwaitRescan(t.Context()))
	s.known = 1 // its file has every address
	s.catchUp(t)
	restart()
	s.catchUp(t)
	require.Nil(t, s.payment("before"))
	require.EqualValues(t, 5100-chain.Depth, s.lowest)
}

// TestScanSaysHowFarItIsBehind counts no scan as current before it has reached the tip.
func TestScanSaysHowFarItIsBehind(t *testing.T) {
	t.Parallel()
	s := siteOf(t, 100)
	current := *s.store.At.ScannedAt
	s.mine(2500)
	require.EqualValues(t, 1600, s.scan(t).Behind)
	require.EqualValues(t, 600, s.scan(t).Behind)
	require.Equal(t, current, *s.store.At.ScannedAt)
	require.Zero(t, s.scan(t).Behind)
	require.True(t, s.store.At.ScannedAt.After(current))
}
