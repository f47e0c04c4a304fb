package incoming

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"github.com/durapay/durapay/internal/watch"
)

// Scan makes one pass over a chain and returns its outcome.
type Scan func(ctx context.Context) (Outcome, error)

// Outcome is the outcome of a scan, from which the time of the next one follows.
type Outcome struct {
	// Block is set if the chain has changed, Payment if the pool has a new payment. Daemons
	// announce both.
	Block, Payment bool
	// Quiet is set if nothing changed, and nothing remains to do.
	Quiet bool
	// Problem is what failed for a wallet after the scan was stored. The next scan repeats it.
	Problem error
}

// outcomeOf returns the outcome of a scan; unfinished is set if something remains to do.
func outcomeOf(found watch.Scanned, unfinished bool) Outcome {
	return Outcome{
		Block:   found.NewBlock(),
		Payment: slices.ContainsFunc(found.New, func(p watch.Payment) bool { return p.Place.Height == nil && !p.Place.Dropped }),
		Quiet:   !found.NewBlock() && found.Empty() && !found.More && !unfinished,
	}
}

// Rhythm defines when a chain is scanned: at the latest after an interval, and at once
// when the daemon's publisher gives a hint. While the publisher is relied on and all is
// quiet, polls are further apart.
type Rhythm struct {
	// Interval is the time between the starts of two polls, positive.
	Interval time.Duration
	// Publisher is the publisher of the daemon that is scanned. Without one there are only polls.
	Publisher watch.Publisher
	// Reliable receives, after each scan but the first, whether the publisher is relied on, and
	// false at the end of a shift, because this worker stops listening. It is not called
	// without a publisher.
	Reliable func(reliable bool)
	// Log gets a line when that changes, and when a problem of a wallet begins and ends.
	Log *slog.Logger

	// proven is the state of pace that one shift leaves to the next.
	proven atomic.Bool
}

// Keep scans in this rhythm until the shift ends. It returns the error of a scan that
// failed. A superseded scan has not failed.
func (r *Rhythm) Keep(ctx context.Context, scan Scan) error {
	end := time.After(shift)
	listening, hangUp := context.WithCancel(ctx)
	defer hangUp()
	hints := r.Publisher.Listen(listening)
	p, troubled := &pace{interval: r.Interval, proven: r.proven.Load()}, false
	reporter := reliabilityReporter{Rhythm: r}
	defer reporter.leave()
	for {
		p.begin(time.Now(), hints.Take())
		outcome, err := scan(ctx)
		if err != nil && !errors.Is(err, watch.ErrSuperseded) {
			return err
		}
		if err == nil && troubled != (outcome.Problem != nil) {
			troubled = !troubled
			r.logProblem(ctx, outcome.Problem)
		}
		p.end(time.Now(), outcome, hints.Err() == nil, len(hints.Waiting()) > 0)
		r.proven.Store(p.proven)
		reporter.report(ctx, p, hints.Err())
		if over, err := p.rest(ctx, hints, end); over || err != nil {
			return err
		}
	}
}

// logProblem logs that a problem has begun, or that it is over.
func (r *Rhythm) logProblem(ctx context.Context, problem error) {
	if problem == nil {
		r.Log.InfoContext(ctx, "nothing fails after a scan any more")
		return
	}
	r.Log.WarnContext(ctx, "the scan is stored, and the work that follows it for a wallet has failed and is repeated", "error", problem)
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

// reliabilityReporter reports to Rhythm.Reliable whether the publisher is relied on, and
// logs changes.
type reliabilityReporter struct {
	*Rhythm

	known, reliable bool
}

// leave reports that this worker has stopped listening: another worker may take over.
func (r *reliabilityReporter) leave() {
	if r.known {
		r.Reliable(false)
	}
}

func (r *reliabilityReporter) report(ctx context.Context, p *pace, problem error) {
	if r.Publisher.Address == "" || p.called == byStart {
		return
	}
	reliable := p.reliable
	r.Reliable(reliable)
	if r.known && reliable == r.reliable {
		return
	}
	r.known, r.reliable = true, reliable
	switch {
	case reliable:
		r.Log.InfoContext(ctx, "the daemon's publisher is heard", "address", r.Publisher.Address)
	case problem != nil:
		r.Log.WarnContext(ctx, "the daemon's publisher is not heard", "address", r.Publisher.Address, "problem", problem)
	default:
		r.Log.InfoContext(ctx, "the daemon's publisher has not announced the last payment: it is not relied on", "address", r.Publisher.Address)
	}
}

const (
	// restInterval is the time between the starts of two polls while the publisher is relied
	// on and all is quiet, unless the interval is longer.
	restInterval = 5 * time.Second
	// hintGap is the least time between the starts of two scans that a hint causes: on a
	// busy chain a message comes with every payment on the network.
	hintGap = 250 * time.Millisecond
)

// call is the cause of a scan.
type call uint8

const (
	// byStart is the first scan, which finds everything that came before it.
	byStart call = iota
	byPoll
	byHint
)

// pace decides when the next scan is due.
type pace struct {
	interval time.Duration

	// called is the cause of the scan; begun and ended are its times.
	called       call
	begun, ended time.Time
	// hinted is set if the scan follows a hint, announced if a hint came since the last poll
	// began.
	hinted, announced bool
	// proven is set if the publisher has announced a payment, and every later payment or
	// block that a poll found.
	proven bool
	// reliable is set if the publisher is relied on, quiet if the scan found no reason for
	// another scan soon.
	reliable, quiet bool
}

// begin records the start of a scan, and whether it took a hint with it.
func (p *pace) begin(now time.Time, hinted bool) {
	p.begun, p.hinted = now, hinted || p.called == byHint
	p.announced = p.announced || p.hinted
}

// end records the end of a scan, its outcome, whether the publisher is connected, and
// whether a hint waits. A publisher is relied on once it has announced a payment, and
// until a poll finds something that it has not announced: some daemons announce only
// blocks, or only some payments. So a payment that is found together with a block proves
// nothing, because the hint may have been for the block.
func (p *pace) end(now time.Time, found Outcome, connected, hinted bool) {
	p.ended = now
	switch {
	case !connected || p.called == byStart:
	case found.Payment && !found.Block && p.hinted:
		p.proven = true
	case p.called == byPoll && (found.Payment || found.Block) && !p.announced && !hinted:
		p.proven = false
	}
	if p.called == byPoll {
		p.announced = false
	}
	p.announced = p.announced || hinted
	p.reliable, p.quiet = connected && p.proven, found.Quiet
}

// due returns when the next poll starts. A hint can come before the wallet knows its
// payment, so a scan that had one is no reason to wait longer.
func (p *pace) due() time.Time {
	pause := p.interval
	if p.reliable && p.quiet && p.called == byPoll && !p.hinted {
		pause = max(pause, restInterval)
	}
	return p.begun.Add(pause)
}

// calm returns the time from which a hint may cause a scan. The wallet is free for other
// callers as long as the scan took, at most for the interval.
func (p *pace) calm() time.Time {
	gap, rested := p.begun.Add(hintGap), p.ended.Add(min(p.ended.Sub(p.begun), p.interval))
	if rested.After(gap) {
		return rested
	}
	return gap
}
