package outbox

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/durapay/durapay/internal/postgres"
)

// Limits of a process.
const (
	// atOnce is the number of wakeups that a queue sends in parallel.
	atOnce = 16
	// queued is the number of wakeups that wait in memory. Those beyond it are left to the
	// loops. It is small because a loop also sends each one that waits longer than Grace.
	queued = 64
	// overflow is the number of wakeups without room that are made due for the loops at once.
	overflow = 1024
	// countEvery is the pause between two counts of waiting rows.
	countEvery = 2 * time.Second
)

// Queue sends the wakeups of the rows of a kind that this process has just made.
type Queue struct {
	kind    Kind
	store   *postgres.Store
	send    Send
	log     *slog.Logger
	wakeups chan Wakeup
	// crowded has the wakeups that had no room.
	crowded chan Wakeup
	// most is the number of rows without a workflow from which no more may be made. One
	// owner may have half of them.
	most int64

	mu sync.Mutex
	// held is the number of wakeups of each owner that wait here.
	held map[string]int
	// waiting is the number of rows of each owner that have no workflow, and all is their
	// sum, as of the last count.
	waiting map[string]int64
	all     int64
}

// NewQueue makes a queue for a kind. It sends while Run is running.
func NewQueue(kind Kind, store *postgres.Store, send Send, most int64, log *slog.Logger) *Queue {
	return &Queue{kind: kind, store: store, send: send, log: log, most: most, wakeups: make(chan Wakeup, queued), crowded: make(chan Wakeup, overflow), held: map[string]int{}}
}

// Full reports whether so many rows wait for their workflows that this owner must not make
// more.
func (q *Queue) Full(owner string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.all >= q.most || q.waiting[owner] >= q.most/2
}

// Offer takes a wakeup that was committed. It never waits: if there is no room for it, the
// loops send it. An owner may not have more wakeups in the queue than remain free, so there
// is room for the others.
func (q *Queue) Offer(w Wakeup) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[w.Owner] >= cap(q.wakeups)-len(q.wakeups) {
		select {
		case q.crowded <- w:
		default: // the loops find it after Grace
		}
		return
	}
	q.held[w.Owner]++
	q.wakeups <- w // has room: nothing else sends
}

// taken notes that a wakeup has left the queue.
func (q *Queue) taken(w Wakeup) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.held[w.Owner]--; q.held[w.Owner] == 0 {
		delete(q.held, w.Owner)
	}
}

// Run sends the offered wakeups until ctx is done. After that it continues for up to
// drainTimeout with those that are still in the queue.
func (q *Queue) Run(ctx context.Context) {
	outcomes := make(chan settled, queued)
	last, cancel := lingering(ctx)
	defer cancel()
	var sending, background sync.WaitGroup
	for range atOnce {
		sending.Go(func() { q.work(ctx, last, outcomes) })
	}
	sending.Go(func() { q.leave(ctx, outcomes) })
	background.Go(func() { settle(last, q.store, q.log, outcomes) })
	background.Go(func() { q.count(ctx) })
	sending.Wait()
	close(outcomes)
	background.Wait()
}

// leave makes the wakeups due that had no room.
func (q *Queue) leave(ctx context.Context, outcomes chan<- settled) {
	for {
		select {
		case w := <-q.crowded:
			outcomes <- settled{w, untried}
		case <-ctx.Done():
			return
		}
	}
}

// work sends one wakeup after another until ctx is done, and then the remaining ones until
// last is done.
func (q *Queue) work(ctx, last context.Context, outcomes chan<- settled) {
	for ctx.Err() == nil {
		select {
		case w := <-q.wakeups:
			q.sendWakeup(last, w, outcomes)
		case <-ctx.Done():
		}
	}
	q.drain(last, outcomes)
}

// drain sends the remaining wakeups until one fails.
func (q *Queue) drain(ctx context.Context, outcomes chan<- settled) {
	for {
		select {
		case w := <-q.wakeups:
			if !q.sendWakeup(ctx, w, outcomes) {
				return
			}
		default:
			return
		}
	}
}

func (q *Queue) sendWakeup(ctx context.Context, w Wakeup, outcomes chan<- settled) bool {
	q.taken(w)
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	if err := q.send(ctx, w); err != nil {
		q.log.WarnContext(ctx, "a wakeup is sent later", slog.String("kind", w.Kind), slog.Any("error", err))
		return false
	}
	outcomes <- settled{w, sent}
	return true
}

// count keeps the numbers of waiting rows up to date. If the database does not answer,
// it keeps the last numbers.
func (q *Queue) count(ctx context.Context) {
	ticker := time.NewTicker(countEvery)
	defer ticker.Stop()
	for {
		q.countOnce(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (q *Queue) countOnce(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	rows, err := q.store.CountNew(ctx, string(q.kind))
	if err != nil {
		return
	}
	waiting, all := map[string]int64{}, int64(0)
	for _, r := range rows {
		waiting[r.Owner] = r.Count
		all += r.Count
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting, q.all = waiting, all
}
