package starter

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// Limits of a process.
const (
	// atOnce is how many workflows are started side by side.
	atOnce = 16
	// queued is how many wait for it in memory; more are left to the loops. They are few: what
	// waits longer than grace, or when a loop is woken, is started by that too.
	queued = 64
	// startTimeout is the longest that Temporal has for one.
	startTimeout = 10 * time.Second
	// drainTimeout is how long a process that ends goes on with what it has in hand. The
	// loops of others start the rest.
	drainTimeout = 5 * time.Second
	// forgetEvery is how long rows of what was started are gathered before they go.
	forgetEvery = 50 * time.Millisecond
	// look is the pause between two counts of what waits, and of two looks of a loop.
	look = 2 * time.Second
)

// Start starts the workflow that a row asks for, unless it was started before: then
// there is no error.
type Start func(ctx context.Context, row db.WorkflowStart) error

// Queue starts workflows of what the process has just written.
type Queue struct {
	store *postgres.Store
	start Start
	log   *slog.Logger
	rows  chan db.WorkflowStart
	// left is told that something had no room.
	left chan struct{}
	// most is how many rows may wait before nothing is written that adds to them.
	most    int32
	waiting atomic.Int32
}

// NewQueue makes a queue; it works while Run does.
func NewQueue(store *postgres.Store, start Start, most int32, log *slog.Logger) *Queue {
	return &Queue{store: store, start: start, log: log, rows: make(chan db.WorkflowStart, queued), left: make(chan struct{}, 1), most: most}
}

// Full says whether so much waits for its workflow that nothing may be added. It is as
// of the last count.
func (q *Queue) Full() bool { return q.waiting.Load() >= q.most }

// Offer takes what was committed. It never waits: what has no room is left to the loops,
// which are woken.
func (q *Queue) Offer(row db.WorkflowStart) {
	select {
	case q.rows <- row:
	default:
		select {
		case q.left <- struct{}{}:
		default: // one is enough
		}
	}
}

// Run starts what is offered until ctx is done, and then for some seconds what it was
// still offered.
func (q *Queue) Run(ctx context.Context) {
	started := make(chan string, queued)
	last, cancel := lingering(ctx)
	defer cancel()
	var starting, others sync.WaitGroup
	for range atOnce {
		starting.Go(func() { q.work(ctx, last, started) })
	}
	others.Go(func() { q.forget(started) })
	others.Go(func() { q.count(ctx) })
	starting.Wait()
	close(started)
	others.Wait()
}

// lingering ends drainTimeout after ctx.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(drainTimeout, cancel) })
	return last, func() { stop(); cancel() }
}

// work starts one after the other until ctx is done, and then what is left until last is.
func (q *Queue) work(ctx, last context.Context, started chan<- string) {
	for ctx.Err() == nil {
		select {
		case row := <-q.rows:
			q.one(last, row, started)
		case <-ctx.Done():
		}
	}
	q.drain(last, started)
}

// drain starts what is left until one cannot be started.
func (q *Queue) drain(ctx context.Context, started chan<- string) {
	for {
		select {
		case row := <-q.rows:
			if !q.one(ctx, row, started) {
				return
			}
		default:
			return
		}
	}
}

func (q *Queue) one(ctx context.Context, row db.WorkflowStart, started chan<- string) bool {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := q.start(ctx, row); err != nil {
		q.log.WarnContext(ctx, "a workflow is started later", slog.String("kind", row.Kind), slog.Any("error", err))
		return false
	}
	started <- row.ID
	return true
}

// forget removes the rows of what was started, many at a time: a row that stays is
// started once more, which changes nothing.
func (q *Queue) forget(started <-chan string) {
	for id := range started {
		ids := []string{id}
		pause := time.After(forgetEvery)
	gather:
		for {
			select {
			case next, open := <-started:
				if !open {
					break gather
				}
				ids = append(ids, next)
			case <-pause:
				break gather
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), startTimeout)
		if err := q.store.ForgetWorkflowStarts(ctx, ids); err != nil {
			q.log.WarnContext(ctx, "workflows that were started are started once more", slog.Any("error", err))
		}
		cancel()
	}
}

// count keeps how much waits up to date, and wakes the loops at most once a look. Without
// an answer of the database it keeps what it knew.
func (q *Queue) count(ctx context.Context) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	left := q.left
	for {
		q.look(ctx)
		select {
		case <-ticker.C:
			left = q.left
		case <-left:
			left = nil
			if err := q.store.WakeStarters(ctx); err != nil {
				q.log.WarnContext(ctx, "the starters look by themselves", slog.Any("error", err))
			}
		case <-ctx.Done():
			return
		}
	}
}

func (q *Queue) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if n, err := q.store.CountWorkflowStarts(ctx, q.most); err == nil {
		q.waiting.Store(int32(n))
	}
}
