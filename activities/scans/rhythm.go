package scans

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/internal/watch"
)

// Scan makes one pass over a wallet and returns its outcome.
type Scan func(ctx context.Context) (Outcome, error)

// Outcome is the outcome of a scan, from which the time of the next one follows.
type Outcome struct {
	// Block is set if the chain has changed, Payment if the pool has a new payment. Daemons
	// announce both.
	Block, Payment bool
	// Quiet is set if nothing changed, and nothing remains to do.
	Quiet bool
}

// OutcomeOf returns the outcome of a scan; left is set if something remains to do.
func OutcomeOf(found watch.Scanned, left bool) Outcome {
	return Outcome{
		Block:   found.NewBlock(),
		Payment: slices.ContainsFunc(found.New, func(p watch.Payment) bool { return p.Place.Height == nil && !p.Place.Dropped }),
		Quiet:   !found.NewBlock() && found.Empty() && !found.More && !left,
	}
}

// Rhythm defines when a wallet is scanned: at the latest after an interval, and at once
// when the daemon's publisher gives a hint. While the publisher is relied on and all is
// quiet, polls are further apart.
type Rhythm struct {
	// Interval is the time between the starts of two polls, positive.
	Interval time.Duration
	// Publisher is the publisher of the wallet's daemon. Without one there are only polls.
	Publisher watch.Publisher
	// This callback receives, after each scan but the first, whether the publisher is relied
	// on, and false at the end of a shift, because this worker stops listening. It is not
	// called without a publisher.
	Heard func(heard bool)
	// Log gets a line when that changes.
	Log *slog.Logger

	// proven is the state of pace that one shift leaves to the next.
	proven atomic.Bool
}

// Keep scans in this rhythm until the shift ends. It returns the error of a scan that
// failed. A superseded scan has not failed.
func (r *Rhythm) Keep(ctx context.Context, scan Scan) error {
	end := time.After(tasks.Shift)
	stop := tasks.Heartbeat(ctx)
	defer stop()
	listening, hangUp := context.WithCancel(ctx)
	defer hangUp()
	hints := r.Publisher.Listen(listening)
	p := &pace{interval: r.Interval, proven: r.proven.Load()}
	told := teller{Rhythm: r}
	defer told.leave()
	for {
		p.begin(time.Now(), hints.Take())
		outcome, err := scan(ctx)
		if err != nil && !errors.Is(err, watch.ErrSuperseded) {
			return err
		}
		p.end(time.Now(), outcome, hints.Err() == nil, len(hints.Waiting()) > 0)
		r.proven.Store(p.proven)
		told.tell(ctx, p, hints.Err())
		if over, err := p.rest(ctx, hints, end); over || err != nil {
			return err
		}
	}
}

// rest waits until the next scan is due. It returns true at the end of the shift.
func (p *pace) rest(ctx context.Context, hints *watch.Hints, end <-chan time.Time) (over bool, err error) {
	poll, calm := time.NewTimer(time.Until(p.due())), time.NewTimer(time.Until(p.calm()))
	defer poll.Stop()
	defer calm.Stop()
	var hinted <-chan struct{} // nil until calm
	for {
		select {
		case <-poll.C:
			p.called = byPoll
			return false, nil
		case <-calm.C:
			hinted = hints.Waiting()
		case <-hinted:
			p.called = byHint
			return false, nil
		case <-end:
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		case <-activity.GetWorkerStopChannel(ctx):
			return true, errors.New("the worker is stopping")
		}
	}
}

// teller calls Rhythm's callback with whether the publisher is relied on, and logs
// changes.
type teller struct {
	*Rhythm

	known, heard bool
}

// leave reports that this worker has stopped listening: another worker may take over.
func (t *teller) leave() {
	if t.known {
		t.Heard(false)
	}
}

func (t *teller) tell(ctx context.Context, p *pace, problem error) {
	if t.Publisher.Address == "" || p.called == byStart {
		return
	}
	heard := p.heard
	t.Heard(heard)
	if t.known && heard == t.heard {
		return
	}
	t.known, t.heard = true, heard
	switch {
	case heard:
		t.Log.InfoContext(ctx, "the daemon's publisher is heard", "address", t.Publisher.Address)
	case problem != nil:
		t.Log.WarnContext(ctx, "the daemon's publisher is not heard", "address", t.Publisher.Address, "problem", problem)
	default:
		t.Log.InfoContext(ctx, "the daemon's publisher has not announced the last payment: it is not relied on", "address", t.Publisher.Address)
	}
}
