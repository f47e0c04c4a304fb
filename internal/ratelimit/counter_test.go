package ratelimit_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-chi/httprate"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
)

var (
	window = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	before = window.Add(-time.Minute)
)

// total is what a counter knows of a client once it has shared.
func total(t *testing.T, c *ratelimit.Counter, key string) (now, last int) {
	t.Helper()
	_, _, err := c.Get(key, window, before)
	require.NoError(t, err)
	require.NoError(t, c.Share(t.Context()))
	now, last, err = c.Get(key, window, before)
	require.NoError(t, err)
	return now, last
}

func TestInstancesShareOneCount(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	a := ratelimit.New(store, "public", slog.Default())
	b := ratelimit.New(store, "public", slog.Default())
	other := ratelimit.New(store, "login", slog.Default())
	require.NoError(t, a.IncrementBy("x", window, 3))
	require.NoError(t, a.IncrementBy("x", before, 7))
	require.NoError(t, b.IncrementBy("x", window, 2))
	require.NoError(t, a.Share(t.Context()))
	require.NoError(t, b.Share(t.Context()))
	now, last := total(t, b, "x")
	require.Equal(t, []int{5, 7}, []int{now, last})
	require.NoError(t, a.Increment("x", window))
	require.NoError(t, a.Share(t.Context()))
	now, _ = total(t, a, "x")
	require.Equal(t, 6, now)
	now, _ = total(t, a, "y")
	require.Zero(t, now)
	now, _ = total(t, other, "x")
	require.Zero(t, now)
}

func TestNothingIsCountedTwiceOrLostWhileSharing(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	c := ratelimit.New(store, "public", slog.Default())
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 100 {
				require.NoError(t, c.Increment("x", window))
			}
		})
		wg.Go(func() {
			for range 10 {
				require.NoError(t, c.Share(t.Context()))
			}
		})
	}
	wg.Wait()
	require.NoError(t, c.Share(t.Context()))
	now, _ := total(t, ratelimit.New(store, "public", slog.Default()), "x")
	require.Equal(t, 400, now)
}

// TestWhatIsFarFromTheLimitIsKept writes no row for a client who makes few
// requests, until the instance ends.
func TestWhatIsFarFromTheLimitIsKept(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	a := ratelimit.New(store, "public", slog.Default(), ratelimit.Within(10*time.Minute))
	a.Config(100, time.Minute)
	seen := func() int {
		now, _ := total(t, ratelimit.New(store, "public", slog.Default()), "x")
		return now
	}
	require.NoError(t, a.IncrementBy("x", window, 4))
	require.NoError(t, a.Share(t.Context()))
	require.Zero(t, seen(), "a 20th of the limit is 5")
	require.NoError(t, a.Increment("x", window))
	require.NoError(t, a.Share(t.Context()))
	require.Equal(t, 5, seen())
	require.NoError(t, a.Increment("x", window))
	require.NoError(t, a.Share(t.Context()))
	require.Equal(t, 5, seen())
	now, _ := total(t, a, "x")
	require.Equal(t, 6, now, "the instance itself counts all")
	ended, end := context.WithCancel(t.Context())
	end()
	a.Run(ended)
	require.Equal(t, 6, seen())
}

func TestCountsSurviveADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	c := ratelimit.New(store, "public", slog.Default())
	_, err := store.Pool().Exec(t.Context(), "ALTER TABLE rate_counts RENAME TO away")
	require.NoError(t, err)
	require.NoError(t, c.Increment("x", window))
	require.Error(t, c.Share(t.Context()))
	_, err = store.Pool().Exec(t.Context(), "ALTER TABLE away RENAME TO rate_counts")
	require.NoError(t, err)
	require.NoError(t, c.Share(t.Context()))
	now, _ := total(t, ratelimit.New(store, "public", slog.Default()), "x")
	require.Equal(t, 1, now)
}

func TestLimiterRefusesWhatIsOverTheLimit(t *testing.T) {
	t.Parallel()
	c := ratelimit.New(pgtest.New(t), "public", slog.Default())
	handler := httprate.LimitBy(3, time.Hour, httprate.Key("*"), httprate.WithLimitCounter(c))(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	codes := map[int]int{}
	for range 5 {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody))
		codes[w.Code]++
		if w.Code == http.StatusTooManyRequests {
			require.NotEmpty(t, w.Header().Get("Retry-After"))
		}
	}
	require.Equal(t, map[int]int{200: 3, 429: 2}, codes)
}

// TestInstancesTogetherAdmitNoMoreThanAnExactLimit lets many requests come to
// two instances at the same time.
func TestInstancesTogetherAdmitNoMoreThanAnExactLimit(t *testing.T) {
	t.Parallel()
	const limit, each = 60, 40
	store := pgtest.New(t)
	var admitted, uncounted atomic.Int32
	var wg sync.WaitGroup
	for range 2 {
		l := ratelimit.NewExactLimiter(limit, 1000*time.Hour, ratelimit.New(store, "writes", slog.Default()))
		for range 4 {
			wg.Go(func() {
				for range each / 4 {
					w := httptest.NewRecorder()
					if !l.Refuses(w, httptest.NewRequest(http.MethodGet, "/", http.NoBody), "x") {
						admitted.Add(1)
					} else if w.Header().Get("Retry-After") == "" {
						uncounted.Add(1)
					}
				}
			})
		}
	}
	wg.Wait()
	require.LessOrEqual(t, int(admitted.Load()), limit)
	require.GreaterOrEqual(t, int(admitted.Load()+uncounted.Load()), limit)
}

// TestARequestThatIsTakenBackDoesNotCount lets a transaction that counted a
// request fail.
func TestARequestThatIsTakenBackDoesNotCount(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	l := ratelimit.NewExactLimiter(1, 1000*time.Hour, ratelimit.New(store, "writes", slog.Default(), ratelimit.Within(time.Minute)))
	ask := func(q *db.Queries) bool {
		return l.RefusesIn(q, httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", http.NoBody), "x")
	}
	failed := errors.New("the rest failed")
	require.ErrorIs(t, store.Tx(t.Context(), func(q *db.Queries) error {
		require.False(t, ask(q))
		require.True(t, ask(q), "it counts within the transaction")
		return failed
	}), failed)
	require.False(t, ask(store.Queries))
	require.True(t, ask(store.Queries))
}
