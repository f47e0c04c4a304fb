package incoming

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/watch"
)

type paced struct {
	pace

	t   *testing.T
	now time.Time
	// takes is how long a scan takes.
	takes time.Duration
}

func pacedOf(t *testing.T) *paced {
	t.Helper()
	return &paced{pace: pace{interval: time.Second}, t: t, now: time.Unix(1_800_000_000, 0)}
}

var (
	nothing = Outcome{Quiet: true}
	block   = Outcome{Block: true}
	payment = Outcome{Payment: true}
	busy    = Outcome{}
)

// polled makes a scan when it is due, and returns how long that took to be due again.
func (s *paced) polled(found Outcome, connected, hinted bool) time.Duration {
	return s.scanned(byPoll, s.due(), found, connected, hinted)
}

// hinted makes a scan for a hint.
func (s *paced) hinted(found Outcome) time.Duration {
	return s.scanned(byHint, s.calm(), found, true, false)
}

func (s *paced) scanned(called call, at time.Time, found Outcome, connected, hinted bool) time.Duration {
	s.now, s.called = at, called
	s.begin(s.now, false)
	s.end(s.now.Add(s.takes), found, connected, hinted)
	return s.due().Sub(s.now)
}

func TestPollsAreRareWhileThePublisherIsReliableAndAllIsQuiet(t *testing.T) {
	t.Parallel()
	s := pacedOf(t)
	require.Equal(t, time.Second, s.scanned(byStart, s.now, payment, true, false), "a start finds what came before")
	require.Equal(t, time.Second, s.hinted(block))
	require.Equal(t, time.Second, s.polled(nothing, true, false), "it may announce blocks alone")
	require.Equal(t, time.Second, s.hinted(payment), "a hint can be ahead of the wallet")
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	require.Equal(t, time.Second, s.hinted(nothing))
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	require.Equal(t, time.Second, s.polled(busy, true, false), "something is left to do")
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	require.Equal(t, time.Second, s.polled(nothing, false, false), "there is no connection")
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	s.interval = time.Hour
	require.Equal(t, time.Hour, s.polled(nothing, true, false), "it is never more often than without")
}

func TestPublisherThatDidNotAnnounceWhatAPollFindsIsNotReliedOn(t *testing.T) {
	t.Parallel()
	for what, missed := range map[string]Outcome{"a block": block, "a payment": payment} {
		s := pacedOf(t)
		s.scanned(byStart, s.now, block, true, false)
		s.hinted(payment)
		require.Equal(t, time.Second, s.polled(missed, true, false), "a hint came before")
		require.True(t, s.reliable)
		require.Equal(t, time.Second, s.polled(missed, true, true), "the hint has just come")
		require.True(t, s.reliable)
		s.hinted(nothing)
		require.Equal(t, restInterval, s.polled(nothing, true, false))
		require.Equal(t, time.Second, s.polled(missed, true, false))
		require.False(t, s.reliable, "nobody announced %s", what)
		s.hinted(block)
		require.Equal(t, time.Second, s.polled(nothing, true, false))
		require.False(t, s.reliable, "until it announces a payment")
		s.hinted(payment)
		require.Equal(t, restInterval, s.polled(nothing, true, false))
		require.True(t, s.reliable)
	}
}

func TestPublisherOfBlocksIsNotReliedOn(t *testing.T) {
	t.Parallel()
	s := pacedOf(t)
	s.hinted(block)
	require.Equal(t, time.Second, s.polled(payment, true, false), "the hint was for the block")
	s.hinted(Outcome{Block: true, Payment: true})
	require.Equal(t, time.Second, s.polled(nothing, true, false))
	require.False(t, s.reliable)
}

// A payment that is found while the connection is down does not count against the
// publisher.
func TestPublisherThatWasAwayIsReliedOnAgain(t *testing.T) {
	t.Parallel()
	s := pacedOf(t)
	s.hinted(payment)
	s.polled(nothing, true, false)
	require.Equal(t, time.Second, s.polled(payment, false, false))
	require.False(t, s.reliable)
	s.hinted(nothing)
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	require.True(t, s.reliable)
}

// On a busy chain hints come all the time.
func TestHintsHaveAGap(t *testing.T) {
	t.Parallel()
	s := pacedOf(t)
	s.hinted(nothing)
	before := s.begun
	s.hinted(nothing)
	require.Equal(t, hintGap, s.begun.Sub(before))
}

// The wallet does nothing else while it is scanned.
func TestHintsLeaveAWalletTimeForOtherCallers(t *testing.T) {
	t.Parallel()
	for takes, gap := range map[time.Duration]time.Duration{
		hintGap / 2:            hintGap,
		hintGap/2 + 1:          hintGap + 2,
		400 * time.Millisecond: 800 * time.Millisecond,
		time.Minute:            time.Minute + time.Second, // the interval is as long as it ever waits
	} {
		s := pacedOf(t)
		s.takes = takes
		s.hinted(nothing)
		before := s.begun
		s.hinted(nothing)
		require.Equal(t, gap, s.begun.Sub(before), takes)
	}
}

// The wallet may not know yet the payment that the hint was for.
func TestAPollThatTookAHintComesAgainSoon(t *testing.T) {
	t.Parallel()
	s := pacedOf(t)
	s.hinted(payment)
	require.Equal(t, restInterval, s.polled(nothing, true, false))
	s.now, s.called = s.due(), byPoll
	s.begin(s.now, true)
	s.end(s.now, nothing, true, false)
	require.Equal(t, time.Second, s.due().Sub(s.now))
}

func TestOutcomeOfAScan(t *testing.T) {
	t.Parallel()
	same := watch.Scanned{Before: watch.State{Hash: "a"}, After: watch.State{Hash: "a"}}
	require.Equal(t, nothing, outcomeOf(same, false))
	require.Equal(t, busy, outcomeOf(same, true), "something is left to do")
	more := same
	more.More = true
	require.Equal(t, busy, outcomeOf(more, false))
	dropped := same
	dropped.Moved = []watch.Move{{}}
	require.Equal(t, busy, outcomeOf(dropped, false), "no daemon announces what leaves its pool")
	paid := same
	paid.New = []watch.Payment{{}}
	require.Equal(t, payment, outcomeOf(paid, false))
	grown, height := same, uint64(7)
	grown.After.Hash = "b"
	require.Equal(t, block, outcomeOf(grown, false))
	grown.New = []watch.Payment{{Place: watch.Place{Height: &height}}}
	require.Equal(t, block, outcomeOf(grown, false), "no payment in the pool")
}
