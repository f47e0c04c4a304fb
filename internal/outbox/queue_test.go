package outbox_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
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
	for i := range 60 {
		made(t, store, fmt.Sprint(i), 1)
	}
	q := queueOf(store, s, 50)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	require.Eventually(t, func() bool { return q.Full("somebody") }, 8*time.Minute, 5*time.Millisecond, "more wait than may")
	for i := range 60 {
		q.Offer(outbox.NewCharge(fmt.Sprintf("ch_%d_000", i), fmt.Sprint(i)))
	}
	stop()
	running.Wait()
	require.Equal(t, 60, s.count())
	require.Zero(t, waiting(t, store))
}

// TestOneMerchantMayHaveHalf of the charges that wait for their workflows. From then on the
// queue is full for this merchant, and not for others. News of payments is not counted.
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

// TestOneMerchantLeavesRoomInTheQueue: one merchant makes many charges at once, and then others
// make one each. Theirs are started by the process itself, and do not wait behind the many.
func TestOneMerchantLeavesRoomInTheQueue(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	q := queueOf(store, s, 200)
	for i := range 1000 {
		q.Offer(outbox.NewCharge(fmt.Sprint("ch_many_", i), "many"))
	}
	for i := range 5 {
		q.Offer(outbox.NewCharge(fmt.Sprint("ch_", i), fmt.Sprint(i)))
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q.Run(ctx)
	require.Greater(t, s.count(), 20, "the many have a share")
	for i := range 5 {
		require.Equal(t, 1, s.times[fmt.Sprint("ch_", i)])
	}
}
