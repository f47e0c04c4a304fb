package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

func queueOf(store *postgres.Store, s *temporal, most int64) *outbox.Queue {
	return outbox.NewQueue(outbox.Charges, store, s.send, most, slog.New(slog.DiscardHandler))
}

// TestAQueueSendsWhatItWasOffered, even if it has to end, and deletes the wakeups.
func TestAQueueSendsWhatItWasOffered(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	const slots = 16
	for i := range slots {
		made(t, store, fmt.Sprint(i), 1)
	}
	q := queueOf(store, s, slots)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	require.Eventually(t, func() bool { return q.Full("somebody") }, 8*time.Minute, 5*time.Millisecond, "more wait than may")
	for i := range slots {
		q.Offer(outbox.NewCharge(fmt.Sprintf("ch_%d_000", i), fmt.Sprint(i)))
	}
	stop()
	running.Wait()
	require.Equal(t, slots, s.count())
	require.Zero(t, waiting(t, store))
}

// TestOneMerchantMayHaveHalf of the charges that wait for their workflows. From then on the
// queue is full for this merchant alone. Signals about payments are not counted.
func TestOneMerchantMayHaveHalf(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	made(t, store, "many", 10)
	for i := range 30 {
		require.NoError(t, store.WakeCharges(t.Context(), []string{fmt.Sprint("paid ", i)}))
	}
	q := queueOf(store, &temporal{}, 20)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	require.Eventually(t, func() bool { return q.Full("many") }, 8*time.Minute, 5*time.Millisecond)
	require.False(t, q.Full("few"))
	stop()
	running.Wait()
}

// TestAQueueLeavesWhatItCannotSend to the loops and does not wait for it. Each worker of an
// ending process stops at its first failure.
func TestAQueueLeavesWhatItCannotSend(t *testing.T) {
	t.Parallel()
	tried := 0
	store, s := pgtest.New(t), &temporal{fails: func(string) error { tried++; return errAway }}
	made(t, store, "m", 10)
	q := queueOf(store, s, 200)
	for i := range 10_000 { // more than it has room for
		q.Offer(outbox.NewCharge(fmt.Sprintf("ch_m_%03d", i%10), ""))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q.Run(ctx)
	require.EqualValues(t, 10, waiting(t, store))
	require.False(t, q.Full("m"))
	require.LessOrEqual(t, tried, 16)
}

// TestAQueueDoesNotWaitForARow that another transaction holds: it sends the wakeup but cannot
// delete it. It is sent a second time.
func TestAQueueDoesNotWaitForARow(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	made(t, store, "m", 3)
	require.NoError(t, store.Tx(t.Context(), func(held *db.Queries) error {
		rows, err := held.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{Ranked: 1, Batch: 1, LeaseSeconds: 30})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		q := queueOf(store, s, 200)
		for i := range 3 {
			q.Offer(outbox.NewCharge(fmt.Sprintf("ch_m_%03d", i), "m"))
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		q.Run(ctx)
		return nil
	}))
	require.Equal(t, 3, s.count())
	require.EqualValues(t, 1, waiting(t, store), "the one that was held")
}

// TestManyNewChargesOfOneMerchantDelayNoOtherMerchantsCharge lets one merchant make many charges
// at once, and Temporal answer none of their starts. Other merchants then make a charge each.
// The process starts these meanwhile.
func TestManyNewChargesOfOneMerchantDelayNoOtherMerchantsCharge(t *testing.T) {
	t.Parallel()
	var hang atomic.Int32
	others, over := make(chan string, 4), make(chan struct{})
	q := outbox.NewQueue(outbox.Charges, pgtest.New(t), func(ctx context.Context, w outbox.Wakeup) error {
		if w.Owner != "many" {
			others <- w.ID
			return nil
		}
		hang.Add(1)
		select {
		case <-over:
		case <-ctx.Done(): // the test's machine is slow
			<-over
		}
		return errAway
	}, 2000, slog.New(slog.DiscardHandler))
	for i := range 1000 {
		q.Offer(outbox.NewCharge(fmt.Sprint("ch_many_", i), "many"))
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	eventually(t, func() bool { return hang.Load() >= 8 }) // half of the slots
	for i := range 4 {
		q.Offer(outbox.NewCharge(fmt.Sprint("ch_", i), fmt.Sprint(i)))
	}
	eventually(t, func() bool { return len(others) == 4 })
	require.EqualValues(t, 8, hang.Load())
	close(over)
	stop()
	running.Wait()
}
