package scans

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
)

const (
	// Batch bounds how many notifications are delivered between two scans.
	Batch = 1000
	// notifyAtOnce is how many notifications are delivered at a time.
	notifyAtOnce = 16
	// notifyTimeout bounds one delivery.
	notifyTimeout = 5 * time.Second
	// notifyGiveUp is the number of failures after which the rest waits for the next scan:
	// so many failures mean that Temporal is away.
	notifyGiveUp = 2 * notifyAtOnce
	// notifyPauseMax is the longest pause between two attempts; the first pause is one scan.
	notifyPauseMax = time.Minute
	// undeliverableAfter is how long a notification may fail before operators get an alert.
	undeliverableAfter = 10 * time.Minute
)

// Notification is a row that becomes a Temporal signal.
type Notification struct {
	ID       string
	Version  int64
	Attempts int32
	Since    time.Time
}

// signalRow is a row of charge_signals or of trade_signals.
type signalRow interface {
	~struct {
		ID       string
		Version  int64
		Attempts int32
		Since    time.Time
	}
}

// Notifications returns the rows that a query returned, and its error.
func Notifications[Row signalRow](rows []Row, err error) ([]Notification, error) {
	list := make([]Notification, len(rows))
	for i, r := range rows {
		list[i] = Notification(r)
	}
	return list, err
}

// Notifier delivers the pending notifications of a wallet. A notification that fails is
// retried later, and the other ones are delivered meanwhile.
type Notifier struct {
	Pending  func(ctx context.Context, now time.Time) ([]Notification, error)
	Signal   func(ctx context.Context, id string) error
	Drop     func(ctx context.Context, n Notification) error
	Postpone func(ctx context.Context, id string, until time.Time) error
	Open     func(ctx context.Context, alert db.OpenAlertParams) error
	Resolve  func(ctx context.Context, alert db.ResolveAlertParams) error
	Clock    func() time.Time
}

// Deliver sends the notifications that are due, and reports whether some remain. It
// deletes a notification once Temporal has it, so a crash in between repeats the signal.
// The error is only the database's.
func (n *Notifier) Deliver(ctx context.Context) (left bool, err error) {
	due, err := n.Pending(ctx, n.Clock())
	if err != nil || len(due) == 0 {
		return false, err
	}
	left = len(due) == Batch
	byID := make(map[string]Notification, len(due))
	ids := make([]string, 0, len(due))
	for _, p := range due {
		byID[p.ID] = p
		ids = append(ids, p.ID)
	}
	var mu sync.Mutex
	var failed error
	SendSignals(ctx, ids, n.Signal, func(id string, failure error) {
		err := n.settle(ctx, byID[id], failure)
		mu.Lock()
		defer mu.Unlock()
		left = left || failure != nil
		if err != nil {
			failed = err
		}
	})
	return left, failed
}

// settle deletes a notification that was delivered, and postpones one that failed.
func (n *Notifier) settle(ctx context.Context, p Notification, failure error) error {
	if failure == nil {
		if p.Attempts > 0 {
			if err := n.Resolve(ctx, db.ResolveAlertParams{Kind: alert.SignalUndelivered, Subject: p.ID}); err != nil {
				return err
			}
		}
		return n.Drop(ctx, p)
	}
	now := n.Clock()
	if now.Sub(p.Since) >= undeliverableAfter {
		if err := n.Open(ctx, db.OpenAlertParams{
			Kind: alert.SignalUndelivered, Subject: p.ID, Detail: "its workflow cannot be told what the chain shows: " + failure.Error(),
		}); err != nil {
			return err
		}
	}
	pause := min(notifyPauseMax, time.Second<<min(p.Attempts, 10))
	return n.Postpone(ctx, p.ID, now.Add(pause))
}

// SendSignals signals several workflows at a time and passes each outcome to told. After
// too many failures it skips the rest.
func SendSignals(ctx context.Context, ids []string, signal func(context.Context, string) error, told func(id string, err error)) {
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
