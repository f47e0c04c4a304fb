package starter

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// batch is the number of rows that a loop locks at a time.
const batch = 256

// grace is how long a loop leaves a row to the process that wrote it, unless a process wakes
// the loops.
const grace = 2 * time.Second

// A round locks rows in a transaction, and an open transaction prevents PostgreSQL from
// cleaning up dead rows.
const (
	// beginFor is how long a round begins new starts.
	beginFor = 10 * time.Second
	// roundTimeout bounds a round. After it, a connection whose other end has vanished is given
	// up.
	roundTimeout = time.Minute
)

// Loop starts the workflows that no other process has started. It is for one goroutine.
type Loop struct {
	Store *postgres.Store
	Start Start
	Log   *slog.Logger

	// after is the row that was tried last. The next round continues after it, so a row that
	// fails again and again does not block later rows. rounds is the number of rounds since the
	// last one that began with the oldest row.
	after  db.WorkflowStart
	rounds int
}

// passAtMost is the number of rounds after which a loop returns to the oldest row even if
// there are more rows. 80 rounds of 256 rows cover the maximum number of waiting rows.
const passAtMost = 80

// Run works until ctx is done.
func (l *Loop) Run(ctx context.Context) {
	woken := make(chan struct{}, 1)
	var listening sync.WaitGroup
	listening.Go(func() { l.listen(ctx, woken) })
	defer listening.Wait()
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	younger := grace
	for {
		if err := l.drain(ctx, younger); err != nil && ctx.Err() == nil {
			l.Log.WarnContext(ctx, "workflows wait to be started", slog.Any("error", err))
		}
		select {
		case <-ticker.C:
			younger = grace
		case <-woken:
			younger = 0
		case <-ctx.Done():
			return
		}
	}
}

// drain starts all rows that are older than an age, until a round starts none. After a round
// that was not full, it leaves rows their grace again. Otherwise a shop that sells all the
// time would keep it running for ever.
func (l *Loop) drain(ctx context.Context, age time.Duration) error {
	for {
		n, err := l.Round(ctx, age)
		if n == 0 {
			return err
		}
		if n < batch {
			age = grace
		}
	}
}

// Round starts the workflows of a batch of rows that are older than an age, and returns how
// many it started. It continues where the previous round ended, and returns to the oldest row
// after the last one. Other loops take other rows at the same time.
//
// Round begins no further starts once atOnce starts have failed and none has succeeded. So it
// does not try all rows while Temporal is down. It also begins none after beginFor, so it
// ends soon if Temporal hangs. A single row that fails does not block other rows.
func (l *Loop) Round(ctx context.Context, age time.Duration) (n int, err error) {
	ctx, cancel := context.WithTimeout(ctx, roundTimeout)
	defer cancel()
	var failed error
	err = l.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := l.take(ctx, q, age)
		if err != nil || len(rows) == 0 {
			return err
		}
		var started []string
		started, failed = l.startAll(ctx, rows)
		n = len(started)
		return q.EndWorkflowStarts(ctx, started)
	})
	if err != nil {
		return 0, err
	}
	return n, failed
}

// take locks the next rows.
func (l *Loop) take(ctx context.Context, q *db.Queries, age time.Duration) ([]db.WorkflowStart, error) {
	if l.rounds++; l.rounds > passAtMost {
		l.after, l.rounds = db.WorkflowStart{}, 0
	}
	for {
		rows, err := q.TakeWorkflowStarts(ctx, db.TakeWorkflowStartsParams{
			OlderThanSeconds: age.Seconds(), AfterCreatedAt: l.after.CreatedAt, AfterID: l.after.ID, Batch: batch,
		})
		if err != nil || len(rows) > 0 || l.after.ID == "" {
			return rows, err
		}
		l.after, l.rounds = db.WorkflowStart{}, 0
	}
}

func (l *Loop) startAll(ctx context.Context, rows []db.WorkflowStart) (started []string, err error) {
	var mu sync.Mutex
	failures, last, begun := 0, -1, time.Now()
	over := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return failures >= atOnce && len(started) == 0 || time.Since(begun) > beginFor
	}
	inHand, cancel := lingering(ctx)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, row := range rows {
		group.Go(func() error {
			if ctx.Err() != nil || over() {
				return ctx.Err()
			}
			one, cancel := context.WithTimeout(inHand, startTimeout)
			defer cancel()
			err := l.Start(one, row)
			mu.Lock()
			defer mu.Unlock()
			last = max(last, i)
			if err != nil {
				failures++
				return fmt.Errorf("start the workflow of %s: %w", row.ID, err)
			}
			started = append(started, row.ID)
			return nil
		})
	}
	err = group.Wait()
	if last >= 0 {
		l.after = rows[last]
	}
	return started, err
}

// listen forwards the notifications that wake the loops. If the connection is lost, it
// connects again. Until then the loop runs only by its own timer.
func (l *Loop) listen(ctx context.Context, woken chan<- struct{}) {
	for ctx.Err() == nil {
		err := l.Store.Listen(ctx, "workflow_starts", func() {
			select {
			case woken <- struct{}{}:
			default: // one is enough
			}
		})
		if ctx.Err() == nil {
			l.Log.WarnContext(ctx, "nobody is heard who wakes the starter", slog.Any("error", err))
		}
		select {
		case <-time.After(look):
		case <-ctx.Done():
		}
	}
}
