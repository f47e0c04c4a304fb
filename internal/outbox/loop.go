package outbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
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
		lanes.Go(func() { newLane(l, retried, outcomes).run(ctx, inHand) })
	}
	lanes.Wait()
	close(outcomes)
	background.Wait()
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
