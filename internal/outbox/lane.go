package outbox

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// laneSlots is the number of wakeups that a lane sends in parallel.
	laneSlots = 8
	// leased is the number of wakeups that a lane takes at a time. Those that have found no
	// slot when it is time for the next look are given back, so that more urgent ones go first.
	leased = 32
	// lease is longer than look and sendTimeout together. If a process dies, the wakeups
	// that it had taken are due again after this time.
	lease = 30 * time.Second
	// ranked is how many of the due wakeups are looked at: two processes that look at once
	// find others.
	ranked = 8 * leased
	// look is the pause between two looks of a lane that finds nothing to send, or that
	// cannot send.
	look = 500 * time.Millisecond
)

// lane sends the wakeups that were tried before, or those that were not. A wakeup that hangs
// keeps one slot and holds up no other.
type lane struct {
	*Loop

	retried  bool
	slots    *slots
	work     chan Wakeup
	outcomes chan<- settled
	// freed receives a value when a slot has become free.
	freed chan struct{}
	// failures counts those since the last success.
	failures atomic.Int32
}

func newLane(l *Loop, retried bool, outcomes chan<- settled) *lane {
	return &lane{
		Loop: l, retried: retried, slots: newSlots(laneSlots), work: make(chan Wakeup), outcomes: outcomes, freed: make(chan struct{}, 1),
	}
}

// run takes wakeups and hands them to the slots until ctx is done.
func (l *lane) run(ctx, inHand context.Context) {
	var sending sync.WaitGroup
	defer sending.Wait()
	defer close(l.work)
	for range laneSlots {
		sending.Go(func() { l.sendEach(inHand) })
	}
	nudged := l.nudged
	if l.retried {
		nudged = nil
	}
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for ctx.Err() == nil {
		due, err := l.take(inHand)
		taken := len(due)
		if err == nil {
			err = l.handOut(ctx, due)
		}
		if err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "wakeups wait to be sent", slog.Any("error", err))
		}
		// If Temporal is down, it is not asked for each wakeup.
		if taken > 0 && l.failures.Load() < laneSlots {
			continue
		}
		select {
		case <-ticker.C:
		case <-nudged:
		case <-ctx.Done():
		}
	}
}

// take leases the most urgent wakeups that are due.
func (l *lane) take(ctx context.Context) ([]Wakeup, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	due, err := l.store.LeaseWakeups(ctx, db.LeaseWakeupsParams{
		LeaseSeconds: lease.Seconds(), Retried: l.retried, Ranked: ranked, Batch: leased,
	})
	slices.SortStableFunc(due, func(a, b Wakeup) int { return cmp.Compare(a.Urgency, b.Urgency) })
	return due, err
}

// handOut gives wakeups to the slots until it is time for the next look, and gives back the
// rest. It passes over those whose owner has its share.
func (l *lane) handOut(ctx context.Context, due []Wakeup) error {
	ctx, cancel := context.WithTimeout(ctx, look)
	defer cancel()
	for len(due) > 0 && ctx.Err() == nil {
		next := slices.IndexFunc(due, l.slots.take)
		if next < 0 {
			select {
			case <-l.freed:
			case <-ctx.Done():
			}
			continue
		}
		select {
		case l.work <- due[next]:
			due = slices.Delete(due, next, next+1)
		case <-ctx.Done():
			l.slots.release(due[next])
		}
	}
	if len(due) == 0 {
		return nil
	}
	return write(l.store, untried, due, queryTimeout)
}

// sendEach sends one wakeup after another until there is no more work.
func (l *lane) sendEach(ctx context.Context) {
	for w := range l.work {
		outcome := l.sendWakeup(ctx, w)
		l.slots.release(w)
		select {
		case l.freed <- struct{}{}:
		default: // one is enough
		}
		l.outcomes <- settled{w, outcome}
	}
}

func (l *lane) sendWakeup(ctx context.Context, w Wakeup) outcome {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := l.send(ctx, w)
	switch {
	case err == nil:
		l.failures.Store(0)
		return sent
	case errors.Is(ctx.Err(), context.Canceled): // the process ends
		return untried
	default:
		l.failures.Add(1)
		l.log.WarnContext(ctx, "a wakeup is sent later", slog.String("kind", w.Kind), slog.String("id", w.ID), slog.Any("error", err))
		return failed
	}
}
