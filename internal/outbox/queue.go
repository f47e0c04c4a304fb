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
	// atOnce is the number of wakeups that a queue sends in parallel. None waits in memory.
	atOnce = 16
	// overflow is the number of wakeups without a slot that are made due for the loops at once.
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
	slots   *slots
	wakeups chan Wakeup
	// crowded has the wakeups that found no slot.
	crowded chan Wakeup
	// most is the number of rows without a workflow from which no more may be made. One
	// owner may have half of them.
	most int64

	mu sync.Mutex
	// waiting is the number of rows of each owner that have no workflow, and all is their
	// sum, as of the last count.
	waiting map[string]int64
	all     int64
}

// NewQueue makes a queue for a kind. It sends while Run is running.
func NewQueue(kind Kind, store *postgres.Store, send Send, most int64, log *slog.Logger) *Queue {
	return &Queue{kind: kind, store: store, send: send, log: log, most: most, slots: newSlots(atOnce), wakeups: make(chan Wakeup, atOnce), crowded: make(chan Wakeup, overflow)}
}

// Full reports whether so many rows wait for their workflows that this owner must not make
// more.
func (q *Queue) Full(owner string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.all >= q.most || q.waiting[owner] >= q.most/2
}

// Offer takes a wakeup that was committed. It never waits: if there is no slot for it, the
// loops send it.
func (q *Queue) Offer(w Wakeup) {
	if q.slots.take(w) {
		q.wakeups <- w // has room, because it has a slot
		return
	}
	select {
	case q.crowded <- w:
	default: // the loops find it after Grace
	}
}

// Run sends the offered wakeups until ctx is done. After that it continues for up to
// drainTimeout with those that have a slot.
func (q *Queue) Run(ctx context.Context) {
	outcomes := make(chan settled, 4*atOnce)
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

// leave makes the wakeups due that found no slot.
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
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	err := q.send(ctx, w)
	q.slots.release(w)
	if err != nil {
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
