package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"go.temporal.io/api/serviceerror"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

var errAway = serviceerror.NewUnavailable("Temporal is away")

// temporal counts what it is sent.
type temporal struct {
	mu    sync.Mutex
	times map[string]int
	// fails returns the reason why a wakeup fails; nil if it succeeds.
	fails func(id string) error
}

func (s *temporal) send(_ context.Context, w outbox.Wakeup) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails != nil {
		if err := s.fails(w.ID); err != nil {
			return err
		}
	}
	if s.times == nil {
		s.times = map[string]int{}
	}
	s.times[w.ID]++
	return nil
}

func (s *temporal) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.times)
}

// made writes the wakeups of n new charges of a merchant, each twice.
func made(t *testing.T, store *postgres.Store, merchant string, n int) {
	t.Helper()
	for i := range n {
		for range 2 {
			newCharge(t, store, fmt.Sprintf("ch_%s_%03d", merchant, i), merchant, 0)
		}
	}
}

// newCharge writes the wakeup of a new charge, which loops leave alone for so many seconds.
func newCharge(t *testing.T, store *postgres.Store, id, merchant string, grace int) {
	t.Helper()
	exec(t, store, `INSERT INTO wakeups (kind, id, owner, urgency, version, next_at)
		VALUES ('charges', $1, $2, 3, 0, now() + $3::integer * interval '1 second') ON CONFLICT DO NOTHING`, id, merchant, grace)
}

func waiting(t *testing.T, store *postgres.Store) (n int64) {
	t.Helper()
	rows, err := store.CountWakeups(t.Context())
	require.NoError(t, err)
	for _, r := range rows {
		n += r.Count
	}
	return n
}

// count counts the wakeups of a condition.
func count(t *testing.T, store *postgres.Store, where string) (n int64) {
	t.Helper()
	require.NoError(t, store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM wakeups WHERE "+where).Scan(&n))
	return n
}

func exec(t *testing.T, store *postgres.Store, sql string, args ...any) {
	t.Helper()
	_, err := store.Pool().Exec(t.Context(), sql, args...)
	require.NoError(t, err)
}

// sends runs a loop until the returned function ends it.
func sends(t *testing.T, store *postgres.Store, send outbox.Send) (loop *outbox.Loop, end func()) {
	t.Helper()
	loop = outbox.NewLoop(store, send, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { loop.Run(ctx) })
	return loop, func() { stop(); running.Wait() }
}

// eventually waits for something for as long as a busy machine may take.
func eventually(t *testing.T, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 8*time.Minute, 5*time.Millisecond)
}

// TestTwoLoopsSendEverything: two loops run at the same moment. One that finds a wakeup
// locked when it wants to end it leaves it to be sent once more.
func TestTwoLoopsSendEverything(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	made(t, store, "m", 600)
	_, first := sends(t, store, s.send)
	_, second := sends(t, store, s.send)
	eventually(t, func() bool { return waiting(t, store) == 0 })
	first()
	second()
	require.Len(t, s.times, 600)
}

// TestAWakeupIsLeasedOnce: many lease at the same moment, and each gets wakeups
// that no other has.
func TestAWakeupIsLeasedOnce(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	made(t, store, "m", 600)
	var mu sync.Mutex
	leased := map[string]int{}
	var leasing sync.WaitGroup
	for range 8 {
		leasing.Go(func() {
			for {
				got, err := store.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{LeaseSeconds: 3600, Ranked: 256, Batch: 32})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for _, w := range got {
					leased[w.ID]++
				}
				all := len(leased)
				mu.Unlock()
				if all == 600 {
					return
				}
			}
		})
	}
	leasing.Wait()
	for id, times := range leased {
		require.Equal(t, 1, times, id)
	}
}

// TestNoWakeupIsLost: a process dies with the wakeups that it had leased, and then Temporal is
// down. Every wakeup stays until it is sent.
func TestNoWakeupIsLost(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{fails: func(string) error { return errAway }}
	made(t, store, "m", 20)
	leased, err := store.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{LeaseSeconds: 3600, Ranked: 256, Batch: 256})
	require.NoError(t, err)
	require.Len(t, leased, 20)
	again, err := store.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{LeaseSeconds: 3600, Ranked: 256, Batch: 256})
	require.NoError(t, err)
	require.Empty(t, again, "another process may be at them")
	exec(t, store, "UPDATE wakeups SET next_at = next_at - interval '1 hour'")

	_, end := sends(t, store, s.send)
	eventually(t, func() bool { return count(t, store, "attempts > 0") == 20 })
	require.EqualValues(t, 20, waiting(t, store))
	s.mu.Lock()
	s.fails = nil
	s.mu.Unlock()
	exec(t, store, "UPDATE wakeups SET next_at = now()")
	eventually(t, func() bool { return waiting(t, store) == 0 })
	end()
	require.Equal(t, 20, s.count())
}

// TestChangeDuringASendIsSentToo: the row changes once more while its wakeup is being sent.
// Temporal may have it before or after the change, so the loop repeats it.
func TestChangeDuringASendIsSentToo(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	require.NoError(t, store.WakeCharges(t.Context(), []string{"ch_1", "ch_1"}))
	var times atomic.Int32
	_, end := sends(t, store, func(ctx context.Context, w outbox.Wakeup) error {
		if times.Add(1) == 1 {
			return store.WakeCharges(ctx, []string{w.ID})
		}
		return nil
	})
	eventually(t, func() bool { return waiting(t, store) == 0 })
	end()
	require.GreaterOrEqual(t, times.Load(), int32(2))
}

// TestPaymentToANewChargeIsNoStart: a payment comes before the charge's workflow was
// started. The wakeup becomes that of a payment at once, and the process that made the charge
// does not delete it.
func TestPaymentToANewChargeIsNoStart(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	newCharge(t, store, "ch_1", "m", 3600)
	pgtest.SendWakeups(t, store, s.send)
	require.Zero(t, s.count(), "its process starts it")
	require.NoError(t, store.WakeCharges(t.Context(), []string{"ch_1"}))
	q := outbox.NewQueue(outbox.Charges, store, s.send, 100, slog.New(slog.DiscardHandler))
	q.Offer(outbox.NewCharge("ch_1", "m"))
	ctx, stop := context.WithCancel(t.Context())
	stop()
	q.Run(ctx)
	require.EqualValues(t, 1, waiting(t, store))
	pgtest.SendWakeups(t, store, s.send)
	require.Zero(t, waiting(t, store))
	require.Equal(t, 2, s.times["ch_1"])
}

// TestOrder: changes go before money that leaves, and that before new charges. Owners take
// turns.
func TestOrder(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	made(t, store, "many", 400)
	made(t, store, "few", 2)
	exec(t, store, `INSERT INTO wakeups (kind, id, owner, urgency, version) VALUES ('payouts', 'po_1', 'many', 1, 1)`)
	require.NoError(t, store.WakeTrades(t.Context(), []string{"trade"}))
	lease := func(retried bool, n int32) (ids []string) {
		leased, err := store.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{LeaseSeconds: 60, Retried: retried, Ranked: 256, Batch: n})
		require.NoError(t, err)
		for _, w := range leased {
			ids = append(ids, w.ID)
		}
		return ids
	}
	require.Equal(t, []string{"trade"}, lease(false, 1))
	require.Equal(t, []string{"po_1"}, lease(false, 1))
	require.ElementsMatch(t, []string{"ch_few_000", "ch_few_001", "ch_many_000", "ch_many_001"}, lease(false, 4))
	require.Empty(t, lease(true, 4), "none was tried before")
	exec(t, store, "UPDATE wakeups SET attempts = 1 WHERE id = 'ch_many_399'")
	require.Equal(t, []string{"ch_many_399"}, lease(true, 4))
	require.NoError(t, store.WakeCharges(t.Context(), []string{"ch_many_399"}))
	require.Equal(t, []string{"ch_many_399"}, lease(true, 1), "a change makes it due")

	// Another transaction holds many of the rows that would be next.
	require.NoError(t, store.Tx(t.Context(), func(q *db.Queries) error {
		_, err := q.LeaseWakeups(t.Context(), db.LeaseWakeupsParams{LeaseSeconds: 60, Ranked: 256, Batch: 64})
		require.NoError(t, err)
		require.Len(t, lease(false, 4), 4)
		return nil
	}))
}

// TestNewRowsOfOneOwnerDelayNoOtherWakeup lets one owner make many rows, and Temporal answer
// none of their starts. The change of another owner's row and its new row are sent meanwhile.
func TestNewRowsOfOneOwnerDelayNoOtherWakeup(t *testing.T) {
	t.Parallel()
	store, s, over := pgtest.New(t), &temporal{}, make(chan struct{})
	made(t, store, "many", 40)
	var hang atomic.Int32
	_, end := sends(t, store, func(ctx context.Context, w outbox.Wakeup) error {
		if w.Owner != "many" {
			return s.send(ctx, w)
		}
		hang.Add(1)
		<-over // longer than any wakeup may take
		return errAway
	})
	eventually(t, func() bool { return hang.Load() >= 4 }) // half of the slots
	require.NoError(t, store.WakeCharges(t.Context(), []string{"paid"}))
	made(t, store, "few", 1)
	eventually(t, func() bool { return s.count() == 2 })
	require.EqualValues(t, 4, hang.Load())
	close(over)
	end()
}

// TestFailedWakeupsDelayNoOtherWakeups: more wakeups than a loop has slots were refused once, and
// from then on they hang. Later wakeups are sent.
func TestFailedWakeupsDelayNoOtherWakeups(t *testing.T) {
	t.Parallel()
	store, tried := pgtest.New(t), sync.Map{}
	made(t, store, "bad", 40)
	var hang atomic.Int32
	s, over := &temporal{}, make(chan struct{})
	_, end := sends(t, store, func(ctx context.Context, w outbox.Wakeup) error {
		if w.Owner != "bad" {
			return s.send(ctx, w)
		}
		if _, before := tried.LoadOrStore(w.ID, true); !before {
			return errors.New("the workflow has had too many signals")
		}
		hang.Add(1)
		<-over // longer than any wakeup may take
		return errAway
	})
	eventually(t, func() bool { return count(t, store, "attempts = 1") == 40 })
	exec(t, store, "UPDATE wakeups SET next_at = now()")
	eventually(t, func() bool { return hang.Load() >= 4 })
	made(t, store, "good", 40)
	exec(t, store, `INSERT INTO wakeups (kind, id, owner, urgency, version) VALUES ('payouts', 'po_1', 'good', 1, 1)`)
	eventually(t, func() bool { return s.count() == 41 })
	require.EqualValues(t, 40, count(t, store, "owner = 'bad'"))
	close(over)
	end()
}

// TestHangingWakeupDelaysNoOther that comes after it.
func TestHangingWakeupDelaysNoOther(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	made(t, store, "bad", 1)
	hangs, over := make(chan struct{}, 100), make(chan struct{})
	_, end := sends(t, store, func(ctx context.Context, w outbox.Wakeup) error {
		if w.Owner == "bad" {
			hangs <- struct{}{}
			<-over
			return errAway
		}
		return s.send(ctx, w)
	})
	<-hangs
	made(t, store, "good", 100)
	eventually(t, func() bool { return s.count() == 100 })
	close(over)
	end()
}

// TestPausesGrow to half a minute, so that everything is sent soon after Temporal's return.
func TestPausesGrow(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{fails: func(string) error { return serviceerror.NewNamespaceNotFound("durapay") }}
	made(t, store, "m", 1)
	for _, seconds := range []int{1, 2, 4, 8, 16, 30, 30} {
		var before time.Time
		require.NoError(t, store.Pool().QueryRow(t.Context(), "SELECT now()").Scan(&before))
		pgtest.SendWakeups(t, store, s.send)
		var exact bool // the pause began after before, and has begun by now
		require.NoError(t, store.Pool().QueryRow(t.Context(),
			"SELECT next_at - $1 * interval '1 second' BETWEEN $2 AND now() FROM wakeups", seconds, before).Scan(&exact))
		require.True(t, exact, seconds)
		exec(t, store, "UPDATE wakeups SET next_at = now()")
	}
	require.EqualValues(t, 1, count(t, store, "attempts = 7"))
}

// TestLateWakeupsAreReported once for each, and no longer once Temporal has them.
func TestLateWakeupsAreReported(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	require.NoError(t, store.WakeCharges(t.Context(), []string{"ch_1"}))
	require.NoError(t, store.WakeTrades(t.Context(), []string{"young"}))
	exec(t, store, "UPDATE wakeups SET since = now() - interval '61 minutes' WHERE id = 'ch_1'")
	loop := outbox.NewLoop(store, s.send, slog.New(slog.DiscardHandler))
	open := func() (subjects []string) {
		for range 2 {
			require.NoError(t, loop.ReportLate(t.Context()))
		}
		rows, err := store.Pool().Query(t.Context(), "SELECT subject FROM alerts WHERE kind = $1 AND resolved_at IS NULL", alert.SignalUndelivered)
		require.NoError(t, err)
		subjects, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return subjects
	}
	require.Equal(t, []string{"charges/ch_1"}, open())
	pgtest.SendWakeups(t, store, s.send)
	require.Zero(t, waiting(t, store))
	require.Empty(t, open())
}

// TestALoopLooksByItself, whether or not its process says that it has written wakeups.
func TestALoopLooksByItself(t *testing.T) {
	t.Parallel()
	store, s := pgtest.New(t), &temporal{}
	loop, end := sends(t, store, s.send)
	for i, nudge := range []func(){loop.Nudge, func() {}} {
		require.NoError(t, store.WakeCharges(t.Context(), []string{fmt.Sprint("ch_", i)}))
		nudge()
		eventually(t, func() bool { return s.count() == i+1 })
	}
	end()
}
