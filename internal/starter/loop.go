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

// batch is how many rows a loop holds at a time.
const batch = 256

// grace is how long a row is left to whoever wrote it, unless somebody wakes the loops.
const grace = 2 * time.Second

// A round holds rows, and keeps PostgreSQL from cleaning up after others.
const (
	// beginFor is how long a round begins starts.
	beginFor = 10 * time.Second
	// roundTimeout is the longest of a round: a connection whose other end has vanished is
	// given up.
	roundTimeout = time.Minute
)

// Loop starts what nobody else has started. It is for one goroutine.
type Loop struct {
	Store *postgres.Store
	Start Start
	Log   *slog.Logger

	// after is the row that was tried last: what fails again and again is not in the way of
	// what comes after it. rounds are those since the oldest was looked at.
	after  db.WorkflowStart
	rounds int
}

// passAtMost is after how many rounds a loop goes back to the oldest, though what comes
// after has no end: as many rows as may wait.
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

// drain starts all that is older than an age, until a round starts nothing. After a round
// that was not full, rows are left their grace again: in a shop that sells all the time there
// is always a younger one.
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

// Round starts a batch of rows that are older than an age, and returns how many it
// started. It goes on where the round before ended, and begins again with the oldest after
// the last. Other loops take other rows meanwhile. Once as many have failed as are started
// side by side, and none has gone well, it begins none anew: it does not try all of them at
// a Temporal that is away, nor go on for long with one that hangs. A row that fails alone
// holds up no other.
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

// take holds the next rows.
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

// listen passes on that somebody wants the loops to look at once. A connection that is
// lost is made anew; until then the loops look by themselves.
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
