package activities

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// notifyBatch bounds how many notifications are delivered between two scans.
	notifyBatch = 1000
	// notifyAtOnce is how many are delivered at a time.
	notifyAtOnce = 16
	// notifyTimeout bounds the delivery of one.
	notifyTimeout = 5 * time.Second
	// notifyGiveUp is the number of failures after which the rest waits for
	// the next scan: so many mean that Temporal is away.
	notifyGiveUp = 2 * notifyAtOnce
	// notifyPauseMax is the longest pause between two attempts; the first is one
	// scan.
	notifyPauseMax = time.Minute
	// undeliverableAfter is for how long a notification may fail before operators
	// are told.
	undeliverableAfter = 10 * time.Minute
)

// pendingNotification is a row that becomes a Temporal signal.
type pendingNotification struct {
	id       string
	version  int64
	attempts int32
	since    time.Time
}

// notifier delivers the pending notifications of a wallet. One that fails is
// tried again later, and the others pass it.
type notifier struct {
	pending  func(ctx context.Context, now time.Time) ([]pendingNotification, error)
	signal   func(ctx context.Context, id string) error
	drop     func(ctx context.Context, n pendingNotification) error
	postpone func(ctx context.Context, id string, until time.Time) error
	open     func(ctx context.Context, alert db.OpenAlertParams) error
	resolve  func(ctx context.Context, alert db.ResolveAlertParams) error
	clock    func() time.Time
}

// deliver sends what is due. A notification is forgotten once Temporal has it:
// a crash in between repeats it. The error is the database's only.
func (n *notifier) deliver(ctx context.Context) error {
	due, err := n.pending(ctx, n.clock())
	if err != nil || len(due) == 0 {
		return err
	}
	byID := make(map[string]pendingNotification, len(due))
	ids := make([]string, 0, len(due))
	for _, p := range due {
		byID[p.id] = p
		ids = append(ids, p.id)
	}
	var mu sync.Mutex
	var failed error
	send(ctx, ids, n.signal, func(id string, err error) {
		if err := n.settle(ctx, byID[id], err); err != nil {
			mu.Lock()
			defer mu.Unlock()
			failed = err
		}
	})
	return failed
}

// settle forgets a notification that was delivered, and postpones another.
func (n *notifier) settle(ctx context.Context, p pendingNotification, failure error) error {
	if failure == nil {
		if p.attempts > 0 {
			if err := n.resolve(ctx, db.ResolveAlertParams{Kind: alert.SignalUndelivered, Subject: p.id}); err != nil {
				return err
			}
		}
		return n.drop(ctx, p)
	}
	now := n.clock()
	if now.Sub(p.since) >= undeliverableAfter {
		if err := n.open(ctx, db.OpenAlertParams{
			Kind: alert.SignalUndelivered, Subject: p.id, Detail: "its workflow cannot be told what the chain shows: " + failure.Error(),
		}); err != nil {
			return err
		}
	}
	pause := min(notifyPauseMax, time.Second<<min(p.attempts, 10))
	return n.postpone(ctx, p.id, now.Add(pause))
}

// send signals some at a time and tells the outcome of each. After too many
// failures it leaves the rest alone.
func send(ctx context.Context, ids []string, signal func(context.Context, string) error, told func(id string, err error)) {
	var mu sync.Mutex
	failures := 0
	group := errgroup.Group{}
	group.SetLimit(notifyAtOnce)
	for _, id := range ids {
		mu.Lock()
		enough := failures >= notifyGiveUp
		mu.Unlock()
		if enough || ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			once, cancel := context.WithTimeout(ctx, notifyTimeout)
			defer cancel()
			err := signal(once, id)
			if err != nil {
				mu.Lock()
				failures++
				mu.Unlock()
			}
			told(id, err)
			return nil
		})
	}
	_ = group.Wait()
}
