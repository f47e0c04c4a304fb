package outbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// laneSlots is the number of wakeups that a lane sends in parallel.
	laneSlots = 8
	// leased is the number of wakeups that a lane takes at a time. Those that have found no
	// slot after handFor are given back, so that more urgent ones go first.
	leased  = 32
	handFor = 2 * time.Second
	// lease is longer than handFor and sendTimeout together. If a process dies, the wakeups
	// that it had taken are due again after this time.
	lease = 30 * time.Second
	// ranked is how many of the due wakeups are looked at: two processes that look at once
	// find others.
	ranked = 8 * leased
	// look is the pause between two looks of a lane that finds nothing to send, or that
	// cannot send.
	look = 500 * time.Millisecond
	// lateAfter is the age at which operators get an alert.
	lateAfter = time.Hour
	// lateAlerts bounds the alerts that are open at a time.
	lateAlerts = 20
	// lateEvery is the time between two searches for late wakeups.
	lateEvery = time.Minute
)

// Loop sends the wakeups that are due. It has two lanes: wakeups that failed before do not
// hold up those that are tried for the first time, even if each of them hangs.
type Loop struct {
	store  *postgres.Store
	send   Send
	log    *slog.Logger
	nudged chan struct{}
}

// NewLoop makes a loop. It sends while Run is running.
func NewLoop(store *postgres.Store, send Send, log *slog.Logger) *Loop {
	return &Loop{store: store, send: send, log: log, nudged: make(chan struct{}, 1)}
}

// Nudge has the loop look at once, after wakeups were committed by this process.
func (l *Loop) Nudge() {
	select {
	case l.nudged <- struct{}{}:
	default: // one is enough
	}
}

// Run works until ctx is done. After that it ends the current sends for up to drainTimeout.
func (l *Loop) Run(ctx context.Context) {
	inHand, cancel := lingering(ctx)
	defer cancel()
	outcomes := make(chan settled, 2*leased)
	var lanes, background sync.WaitGroup
	background.Go(func() { settle(inHand, l.store, l.log, outcomes) })
	background.Go(func() { l.reportLate(ctx) })
	for _, retried := range []bool{false, true} {
		lanes.Go(func() { l.lane(ctx, inHand, retried, outcomes) })
	}
	lanes.Wait()
	close(outcomes)
	background.Wait()
}

// lane takes wakeups and hands them to its slots. A wakeup that hangs keeps one slot and
// holds up no other.
func (l *Loop) lane(ctx, inHand context.Context, retried bool, outcomes chan<- settled) {
	work := make(chan Wakeup)
	var slots sync.WaitGroup
	defer slots.Wait()
	defer close(work)
	var failures atomic.Int32 // since the last success
	for range laneSlots {
		slots.Go(func() {
			for w := range work {
				outcomes <- settled{w, l.sendWakeup(inHand, w, &failures)}
			}
		})
	}
	nudged := l.nudged
	if retried {
		nudged = nil
	}
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for ctx.Err() == nil {
		due, err := l.take(inHand, retried)
		if err == nil {
			err = l.handOut(ctx, due, work)
		}
		if err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "wakeups wait to be sent", slog.Any("error", err))
		}
		// If Temporal is down, it is not asked for each wakeup.
		if len(due) > 0 && failures.Load() < laneSlots {
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
func (l *Loop) take(ctx context.Context, retried bool) ([]Wakeup, error) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	due, err := l.store.LeaseWakeups(ctx, db.LeaseWakeupsParams{
		LeaseSeconds: lease.Seconds(), Retried: retried, Ranked: ranked, Batch: leased,
	})
	slices.SortStableFunc(due, func(a, b Wakeup) int { return cmp.Compare(a.Urgency, b.Urgency) })
	return due, err
}

// handOut gives wakeups to the slots for handFor, and gives back the rest.
func (l *Loop) handOut(ctx context.Context, due []Wakeup, work chan<- Wakeup) error {
	over := time.After(handFor)
	for i, w := range due {
		select {
		case work <- w:
			continue
		case <-over:
		case <-ctx.Done():
		}
		return write(l.store, untried, due[i:], queryTimeout)
	}
	return nil
}

func (l *Loop) sendWakeup(ctx context.Context, w Wakeup, failures *atomic.Int32) outcome {
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := l.send(ctx, w)
	switch {
	case err == nil:
		failures.Store(0)
		return sent
	case errors.Is(ctx.Err(), context.Canceled): // the process ends
		return untried
	default:
		failures.Add(1)
		l.log.WarnContext(ctx, "a wakeup is sent later", slog.String("kind", w.Kind), slog.String("id", w.ID), slog.Any("error", err))
		return failed
	}
}

func (l *Loop) reportLate(ctx context.Context) {
	ticker := time.NewTicker(lateEvery)
	defer ticker.Stop()
	for {
		if err := l.ReportLate(ctx); err != nil && ctx.Err() == nil {
			l.log.WarnContext(ctx, "late wakeups were not searched for", slog.Any("error", err))
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// ReportLate keeps an alert open for each wakeup that waits for more than lateAfter, up to
// lateAlerts of them. A second run finds the same alerts.
func (l *Loop) ReportLate(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	late, err := l.store.LateWakeups(ctx, db.LateWakeupsParams{OlderThanSeconds: lateAfter.Seconds(), MaxRows: lateAlerts})
	if err != nil {
		return err
	}
	subjects := []string{}
	for _, w := range late {
		subject := w.Kind + "/" + w.ID
		subjects = append(subjects, subject)
		if err := l.store.OpenAlert(ctx, db.OpenAlertParams{
			Kind: alert.SignalUndelivered, Subject: subject,
			Detail: fmt.Sprintf("its workflow is to be woken since %s; %d attempts failed", w.Since.UTC().Format(time.RFC3339), w.Attempts),
		}); err != nil {
			return err
		}
	}
	return l.store.ResolveAlertsExcept(ctx, db.ResolveAlertsExceptParams{Kind: alert.SignalUndelivered, Subjects: subjects})
}
