package ratelimit_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
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
	l := ratelimit.NewExactLimiter(1, 1000*time.Hour, ratelimit.New(store, "writes", slog.Default()))
	failed := errors.New("the rest failed")
	// story is told with a client of its own each time: counted says whether the
	// database, which has a second, always answered.
	story := func(client string) (refused []bool, counted bool) {
		counted = true
		ask := func(q *db.Queries) {
			w := httptest.NewRecorder()
			no := l.RefusesIn(q, w, httptest.NewRequest(http.MethodGet, "/", http.NoBody), client)
			refused = append(refused, no)
			counted = counted && (!no || w.Header().Get("Retry-After") != "")
		}
		require.ErrorIs(t, store.Tx(t.Context(), func(q *db.Queries) error {
			ask(q)
			ask(q)
			return failed
		}), failed)
		ask(store.Queries)
		ask(store.Queries)
		return refused, counted
	}
	var refused []bool
	for n, counted := 0, false; !counted; n++ {
		require.Less(t, n, 20, "the database does not answer")
		refused, counted = story(strconv.Itoa(n))
	}
	require.Equal(t, []bool{false, true, false, true}, refused, "it counts within the transaction, and not when that failed")
}
