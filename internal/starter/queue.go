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
	// atOnce is the number of workflows that are started in parallel.
	atOnce = 16
	// queued is the number of rows that wait in memory. Rows beyond it are left to the loops.
	// It is small because a loop also starts each row that waits longer than grace, or that
	// waits when the loop is woken.
	queued = 64
	// startTimeout bounds the start of one workflow.
	startTimeout = 10 * time.Second
	// drainTimeout is how long an ending process continues with its current starts. The loops
	// of other processes start the rest.
	drainTimeout = 5 * time.Second
	// forgetEvery is how long started rows are collected before they are deleted together.
	forgetEvery = 50 * time.Millisecond
	// look is the pause between two counts of waiting rows, and between two rounds of a loop.
	look = 2 * time.Second
)

// Start starts the workflow of a row. If the workflow was started before, it returns no
// error.
type Start func(ctx context.Context, row db.WorkflowStart) error

// Queue starts the workflows of rows that this process has just written.
type Queue struct {
	store *postgres.Store
	start Start
	log   *slog.Logger
	rows  chan db.WorkflowStart
	mu    sync.Mutex
	// held is the number of waiting rows of each merchant, and mu guards it.
	held map[string]int
	// left receives a value when a row had no room.
	left chan struct{}
	// most is the number of waiting rows from which the process must not add more.
	most    int32
	waiting atomic.Int32
}

// NewQueue makes a queue. It starts workflows while Run is running.
func NewQueue(store *postgres.Store, start Start, most int32, log *slog.Logger) *Queue {
	return &Queue{store: store, start: start, log: log, rows: make(chan db.WorkflowStart, queued), held: map[string]int{}, left: make(chan struct{}, 1), most: most}
}

// Full reports whether so many rows wait for their workflows that no more may be added. It
// is based on the last count.
func (q *Queue) Full() bool { return q.waiting.Load() >= q.most }

// Offer takes a row that was committed. It never waits: if there is no room for the row, it
// leaves it to the loops and has them woken.
func (q *Queue) Offer(row db.WorkflowStart) {
	if q.take(row) {
		return
	}
	select {
	case q.left <- struct{}{}:
	default: // one is enough
	}
}

// take puts a row into the queue. A merchant may not have more rows in it than remain free, so
// there is room for the others.
func (q *Queue) take(row db.WorkflowStart) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[row.MerchantID] >= cap(q.rows)-len(q.rows) {
		return false
	}
	q.held[row.MerchantID]++
	q.rows <- row // has room: nothing else sends
	return true
}

// taken notes that a row has left the queue.
func (q *Queue) taken(row db.WorkflowStart) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[row.MerchantID]--; q.held[row.MerchantID] == 0 {
		delete(q.held, row.MerchantID)
	}
}

// Run starts the offered rows until ctx is done. After that it continues for up to
// drainTimeout with rows that are still in the queue.
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

// lingering returns a context that ends drainTimeout after ctx.
func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	last, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(drainTimeout, cancel) })
	return last, func() { stop(); cancel() }
}

// work starts one row after another until ctx is done, and then the remaining rows until
// last is done.
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

// drain starts the remaining rows until a start fails.
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
	q.taken(row)
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := q.start(ctx, row); err != nil {
		q.log.WarnContext(ctx, "a workflow is started later", slog.String("kind", row.Kind), slog.Any("error", err))
		return false
	}
	started <- row.ID
	return true
}

// forget deletes the rows whose workflows were started, many at a time. A row that stays
// is started a second time, which changes nothing.
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

// count keeps the number of waiting rows up to date, and wakes the loops at most once in
// each look interval. If the database does not answer, it keeps the last number.
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
