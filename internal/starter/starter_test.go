package starter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/starter"
)

// started counts the starts of each ID.
type started struct {
	mu    sync.Mutex
	times map[string]int
	// fails returns the reason why a start fails; nil if it succeeds.
	fails func(id string) error
}

func (s *started) start(_ context.Context, row db.WorkflowStart) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		if err := s.fails(row.ID); err != nil {
			return err
		}
	}
	if s.times == nil {
		s.times = map[string]int{}
	}
	s.times[row.ID]++
	return nil
}

func (s *started) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.times)
}

func want(t *testing.T, store *postgres.Store, n int) {
	t.Helper()
	for i := range n {
		for range 2 {
			require.NoError(t, store.WantWorkflow(t.Context(), db.WantWorkflowParams{ID: fmt.Sprint("ch_", i), Kind: "charge", MerchantID: "m", Mode: "live"}))
		}
	}
}

func waiting(t *testing.T, store *postgres.Store) int64 {
	t.Helper()
	n, err := store.CountWorkflowStarts(t.Context(), 10_000)
	require.NoError(t, err)
	return n
}

// TestTwoLoopsStartEachOnce: two loops run at the same moment, and each takes the rows that
// the other has not locked.
func TestTwoLoopsStartEachOnce(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	want(t, store, 600)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			loop := starter.Loop{Store: store, Start: s.start, Log: slog.New(slog.DiscardHandler)}
			for waiting(t, store) > 0 {
				_, err := loop.Round(t.Context(), 0)
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	both.Wait()
	require.Len(t, s.times, 600)
	for id, times := range s.times {
		require.Equal(t, 1, times, id)
	}
}

// TestWhatIsNotStartedIsTriedAgain: Temporal is down, a process dies before its transaction
// ends, and one row cannot be started for a while. Every row is kept until its workflow is
// started.
func TestWhatIsNotStartedIsTriedAgain(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{fails: func(string) error { return errors.New("away") }}
	want(t, store, 20)
	process := func() *starter.Loop {
		return &starter.Loop{Store: store, Start: s.start, Log: slog.New(slog.DiscardHandler)}
	}
	_, err := process().Round(t.Context(), 0)
	require.ErrorContains(t, err, "away")
	require.EqualValues(t, 20, waiting(t, store))

	// The process dies after some starts, before its transaction ends.
	dying, die := context.WithCancel(t.Context())
	s.fails = func(string) error {
		if len(s.times) == 7 {
			die()
		}
		return dying.Err()
	}
	_, err = process().Round(dying, 0)
	require.Error(t, err)
	require.EqualValues(t, 20, waiting(t, store), "nothing is forgotten")
	require.Equal(t, 7, s.count())

	// One row cannot be started. It stays, and all other rows are started in the end.
	s.fails = func(id string) error {
		if id == "ch_3" {
			return errors.New("this one")
		}
		return nil
	}
	loop := process()
	for waiting(t, store) > 1 {
		if _, err = loop.Round(t.Context(), 0); err != nil { // a round may begin after that row
			require.ErrorContains(t, err, "this one")
		}
	}
	s.fails = nil
	n, err := loop.Round(t.Context(), 0)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Equal(t, 20, s.count())
}

// TestALoopIsWoken by a process whose queue is full. Otherwise it leaves young rows to the
// process that wrote them.
func TestALoopIsWoken(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	loop := starter.Loop{Store: store, Start: s.start, Log: slog.New(slog.DiscardHandler)}
	want(t, store, 1)
	n, err := loop.Round(t.Context(), time.Hour)
	require.NoError(t, err)
	require.Zero(t, n)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { loop.Run(ctx) })
	require.Eventually(t, func() bool {
		return store.WakeStarters(t.Context()) == nil && s.count() == 1
	}, 8*time.Minute, 20*time.Millisecond)
	stop()
	running.Wait()
}

// TestAQueueStartsWhatItWasOffered, even if it has to end, and deletes the rows.
func TestAQueueStartsWhatItWasOffered(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	want(t, store, 60)
	q := starter.NewQueue(store, s.start, 50, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { q.Run(ctx) })
	require.Eventually(t, q.Full, 8*time.Minute, 5*time.Millisecond, "more wait than may")
	for i := range 60 {
		q.Offer(db.WorkflowStart{ID: fmt.Sprint("ch_", i), Kind: "charge", MerchantID: fmt.Sprint(i)})
	}
	stop()
	running.Wait()
	require.Equal(t, 60, s.count())
	require.Zero(t, waiting(t, store))
}

// TestAQueueLeavesWhatItCannotStart to the loops and does not wait for it. Each worker of
// an ending process stops at its first failed start.
func TestAQueueLeavesWhatItCannotStart(t *testing.T) {
	t.Parallel()
	tried := 0
	store, s := pgtest.New(t), &started{fails: func(string) error { tried++; return errors.New("away") }}
	want(t, store, 10)
	q := starter.NewQueue(store, s.start, 200, slog.New(slog.DiscardHandler))
	for i := range 10_000 { // more than it has room for
		q.Offer(db.WorkflowStart{ID: fmt.Sprint("ch_", i%10), Kind: "charge"})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q.Run(ctx)
	require.EqualValues(t, 10, waiting(t, store))
	require.False(t, q.Full())
	require.LessOrEqual(t, tried, 16)
}

// TestAQueueDoesNotWaitForWhatALoopHolds: the queue starts the workflow but cannot delete
// the locked row. The loop starts it a second time and deletes the row.
func TestAQueueDoesNotWaitForWhatALoopHolds(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	want(t, store, 3)
	err := store.Tx(t.Context(), func(held *db.Queries) error {
		rows, err := held.TakeWorkflowStarts(t.Context(), db.TakeWorkflowStartsParams{Batch: 1})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		q := starter.NewQueue(store, s.start, 200, slog.New(slog.DiscardHandler))
		for i := range 3 {
			q.Offer(db.WorkflowStart{ID: fmt.Sprint("ch_", i), Kind: "charge"})
		}
		ctx, stop := context.WithCancel(t.Context())
		stop()
		q.Run(ctx)
		require.EqualValues(t, 1, waiting(t, store), "the one that is held")
		return held.EndWorkflowStarts(t.Context(), []string{rows[0].ID})
	})
	require.NoError(t, err)
	require.Zero(t, waiting(t, store))
}

// TestOneMerchantLeavesRoomInTheQueue: one merchant makes many charges at once, and then others
// make one each. Theirs are started by the process itself, and do not wait behind the many.
func TestOneMerchantLeavesRoomInTheQueue(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &started{}
	q := starter.NewQueue(store, s.start, 200, slog.New(slog.DiscardHandler))
	for i := range 1000 {
		q.Offer(db.WorkflowStart{ID: fmt.Sprint("ch_many_", i), Kind: "charge", MerchantID: "many"})
	}
	for i := range 5 {
		q.Offer(db.WorkflowStart{ID: fmt.Sprint("ch_", i), Kind: "charge", MerchantID: fmt.Sprint(i)})
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q.Run(ctx)
	require.Greater(t, s.count(), 20, "the many have a share")
	for i := range 5 {
		require.Equal(t, 1, s.times[fmt.Sprint("ch_", i)])
	}
}
