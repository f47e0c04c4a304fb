package incoming_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/watch"
	"github.com/durapay/durapay/internal/watch/watchtest"
)

const (
	// maxWait is how long anything may take that is expected to happen.
	maxWait = 8 * time.Minute
	// never is a poll that no test lives to see.
	never = time.Hour
)

// watcher runs a rhythm, as an activity.
type watcher struct {
	// begun receives each scan that begins; the scan continues once it has its outcome.
	begun    chan struct{}
	found    chan incoming.Outcome
	reliable chan bool
	// end ends the shift; ended is closed once it has.
	end   func()
	ended chan struct{}
}

func watching(t *testing.T, interval time.Duration, publisher watch.Publisher) *watcher {
	t.Helper()
	w := &watcher{begun: make(chan struct{}), found: make(chan incoming.Outcome), reliable: make(chan bool, 1000), ended: make(chan struct{})}
	over, end := context.WithCancel(context.Background())
	w.end = func() {
		end()
		<-w.ended
	}
	rhythm := &incoming.Rhythm{
		Interval: interval, Publisher: publisher, Log: slog.New(slog.DiscardHandler),
		Reliable: func(reliable bool) { w.reliable <- reliable },
	}
	keep := func(ctx context.Context) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(over, cancel)()
		return rhythm.Keep(ctx, func(ctx context.Context) (incoming.Outcome, error) {
			select {
			case w.begun <- struct{}{}:
			case <-ctx.Done():
				return incoming.Outcome{}, ctx.Err()
			}
			select {
			case found := <-w.found:
				return found, nil
			case <-ctx.Done():
				return incoming.Outcome{}, ctx.Err()
			}
		})
	}
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetTestTimeout(10 * maxWait)
	env.RegisterActivity(keep)
	go func() {
		defer close(w.ended)
		_, err := env.ExecuteActivity(keep)
		if over.Err() == nil {
			t.Errorf("the watcher ended: %v", err)
		}
	}()
	t.Cleanup(w.end)
	return w
}

// following runs a rhythm without polls, until it waits for messages of a publisher. The
// publisher completes the connection during the first scan. A connection is a hint: before
// the first scan, that scan would take it along.
func following(t *testing.T, p *watchtest.Publisher) *watcher {
	t.Helper()
	p.Open("")
	w := watching(t, never, watch.MonerodPublisher(p.Address))
	w.begins(t)
	p.Await(t.Context(), "NULL") // in the greeting of the watcher
	p.Open(watchtest.Opening())
	p.Say(watchtest.Opening())
	w.found <- quiet
	w.scans(t, quiet)
	return w
}

// begins waits for the begin of a scan.
func (w *watcher) begins(t *testing.T) {
	t.Helper()
	select {
	case <-w.begun:
	case <-w.ended:
		require.Fail(t, "the watcher ended")
	case <-time.After(maxWait):
		require.Fail(t, "nothing is scanned")
	}
}

// scans waits for a scan and lets it find something.
func (w *watcher) scans(t *testing.T, found incoming.Outcome) {
	t.Helper()
	w.begins(t)
	w.found <- found
}

// isReliable waits for the next report about the publisher.
func (w *watcher) isReliable(t *testing.T) bool {
	t.Helper()
	select {
	case reliable := <-w.reliable:
		return reliable
	case <-time.After(maxWait):
		require.Fail(t, "nothing is told of the publisher")
		return false
	}
}

var quiet, payment = incoming.Outcome{Quiet: true}, incoming.Outcome{Payment: true}

func TestHintCallsForAScan(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	w := following(t, p)
	require.False(t, w.isReliable(t), "it has announced nothing")
	p.Await(t.Context(), "json-minimal-chain_main")
	for range 3 {
		p.Say(watchtest.Message("json-minimal-txpool_add:[]"))
		w.scans(t, payment)
		require.True(t, w.isReliable(t))
	}
	// A publisher that was away may have missed something.
	p.Stop()
	p.Start()
	w.scans(t, quiet)
	require.True(t, w.isReliable(t))
	w.end()
	require.False(t, w.isReliable(t), "another worker may listen now")
}

// While a scan runs, thousands of messages come: one scan follows, and no more.
func TestOneScanWaitsWhileOneRuns(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	w := following(t, p)
	p.Await(t.Context(), "json-minimal-chain_main")
	p.Say(watchtest.Message("first"))
	w.begins(t)
	const garbage = "\xff\x00"
	p.Open(garbage) // and no connection any more, which would be a hint
	p.Say(strings.Repeat(watchtest.Message("json-minimal-txpool_add:[]"), 5000) + garbage)
	require.Eventually(t, func() bool { return p.Connections() == 0 }, maxWait, time.Millisecond, "all of them are heard")
	w.found <- payment
	w.scans(t, quiet)
	select {
	case <-w.begun:
		require.Fail(t, "nobody called for another scan")
	case <-time.After(500 * time.Millisecond): // a fault can be missed, never invented
	}
}

// A publisher that never stops cannot make the watcher scan without a pause.
func TestOfManyMessagesFewCallForAScan(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	w := following(t, p)
	p.Await(t.Context(), "json-minimal-chain_main")
	var said atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		p.Flood(ctx, &said)
	}()
	const scanned = 10
	for range scanned {
		w.scans(t, quiet)
	}
	stop()
	<-flooded
	require.Greater(t, said.Load(), int64(scanned*100))
}

// awaitReliable scans until the reports about the publisher have the given value.
func (w *watcher) awaitReliable(t *testing.T, reliable bool, found incoming.Outcome) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < maxWait; {
		w.scans(t, found)
		if w.isReliable(t) == reliable {
			return
		}
	}
	require.Fail(t, "it does not become so")
}

// These publishers connect, and announce no payments and no blocks.
func TestWhatIsNotAnnouncedIsPolled(t *testing.T) {
	t.Parallel()
	for name, more := range map[string]string{
		"silent": "", "half a message": "\x01\x01x", "a frame that never ends": "\x02\x00\x00\x00\x00\x00\x0f\xff\xffx",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := watchtest.StartPublisher(t)
			p.Open(watchtest.Opening() + more)
			w := watching(t, 10*time.Millisecond, watch.MonerodPublisher(p.Address))
			w.scans(t, quiet)
			w.awaitReliable(t, true, payment)
			w.awaitReliable(t, false, payment)
			for range 5 {
				w.scans(t, payment)
				require.False(t, w.isReliable(t))
			}
		})
	}
}

func TestPublisherOfGarbageIsNotReliable(t *testing.T) {
	t.Parallel()
	p := watchtest.StartPublisher(t)
	p.Open("HTTP/1.1 400 Bad Request\r\n\r\n" + strings.Repeat("x", 64))
	w := watching(t, 10*time.Millisecond, watch.MonerodPublisher(p.Address))
	w.scans(t, quiet)
	for range 10 {
		w.scans(t, payment)
		require.False(t, w.isReliable(t))
	}
}

func TestWithoutAPublisherItIsPolled(t *testing.T) {
	t.Parallel()
	w := watching(t, time.Millisecond, watch.Publisher{})
	for range 10 {
		w.scans(t, quiet)
	}
	require.Empty(t, w.reliable, "there is nothing to tell")
}

func TestScanThatFailsEndsTheWatch(t *testing.T) {
	t.Parallel()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	scanned := 0
	keep := func(ctx context.Context) error {
		return (&incoming.Rhythm{Interval: time.Millisecond}).Keep(ctx, func(context.Context) (incoming.Outcome, error) {
			if scanned++; scanned < 3 {
				return incoming.Outcome{}, watch.ErrSuperseded
			}
			return incoming.Outcome{}, errors.New("the wallet is away")
		})
	}
	env.RegisterActivity(keep)
	_, err := env.ExecuteActivity(keep)
	require.ErrorContains(t, err, "the wallet is away")
	require.Equal(t, 3, scanned)
}
