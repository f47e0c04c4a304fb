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

// Loop starts what nobody else has started.
type Loop struct {
	Store *postgres.Store
	Start Start
	Log   *slog.Logger
}

// Run works until ctx is done.
func (l Loop) Run(ctx context.Context) {
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

// drain starts all that is older than an age, until nothing is left or a start fails.
func (l Loop) drain(ctx context.Context, age time.Duration) error {
	for {
		n, err := l.Round(ctx, age)
		if err != nil || n < batch {
			return err
		}
	}
}

// Round starts a batch of rows that are older than an age, and returns how many there
// were. Other loops take other rows meanwhile. After a failure it begins none anew, so
// that it does not try all of them at a Temporal that is away.
func (l Loop) Round(ctx context.Context, age time.Duration) (found int, err error) {
	var failed error
	err = l.Store.Tx(ctx, func(q *db.Queries) error {
		rows, err := q.TakeWorkflowStarts(ctx, db.TakeWorkflowStartsParams{OlderThanSeconds: age.Seconds(), Batch: batch})
		if err != nil || len(rows) == 0 {
			return err
		}
		found = len(rows)
		var started []string
		started, failed = l.startAll(ctx, rows)
		return q.EndWorkflowStarts(ctx, started)
	})
	if err == nil {
		err = failed
	}
	return found, err
}

func (l Loop) startAll(ctx context.Context, rows []db.WorkflowStart) (started []string, err error) {
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, row := range rows {
		group.Go(func() error {
			if ctx.Err() != nil {
				return nil // another failed
			}
			one, cancel := context.WithTimeout(ctx, startTimeout)
			defer cancel()
			if err := l.Start(one, row); err != nil {
				return fmt.Errorf("start the workflow of %s: %w", row.ID, err)
			}
			mu.Lock()
			defer mu.Unlock()
			started = append(started, row.ID)
			return nil
		})
	}
	err = group.Wait()
	return started, err
}

// listen passes on that somebody wants the loops to look at once. A connection that is
// lost is made anew; until then the loops look by themselves.
func (l Loop) listen(ctx context.Context, woken chan<- struct{}) {
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
