package ratelimit

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestRefusedRequestsWriteNothing has a client that was refused ask on and on.
func TestRefusedRequestsWriteNothing(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	l := NewExactLimiter(10, 15*time.Minute, New(store, "auth", slog.Default(), At(func() time.Time { return at }), Within(time.Minute)))
	refuses := func(client string) bool {
		return l.Refuses(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", nil), client)
	}
	for range 10 {
		require.False(t, refuses("1.2.3.4"))
	}
	require.True(t, refuses("1.2.3.4"))
	row := func() (place, locker string) {
		require.NoError(t, store.Pool().QueryRow(t.Context(), "SELECT ctid::text, xmax::text FROM rate_counts").Scan(&place, &locker))
		return place, locker
	}
	place, locker := row()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			for range 20 {
				require.True(t, refuses("1.2.3.4"))
			}
		})
	}
	wait.Wait()
	samePlace, sameLocker := row()
	require.Equal(t, [2]string{place, locker}, [2]string{samePlace, sameLocker}, "neither written nor locked")
	w := httptest.NewRecorder()
	require.True(t, l.Refuses(w, httptest.NewRequest(http.MethodPost, "/", nil), "1.2.3.4"))
	require.Equal(t, "900", w.Header().Get("Retry-After"))
	require.False(t, refuses("another"))
	at = at.Add(30 * time.Minute)
	require.False(t, refuses("1.2.3.4"), "the counts are too old")
}

// TestRememberedRefusalsAreThoseOfTheDatabase makes requests at every second for
// two windows and more: with remembered refusals, and without.
func TestRememberedRefusalsAreThoseOfTheDatabase(t *testing.T) {
	t.Parallel()
	const most = 7
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	store := pgtest.New(t)
	made := func(bucket string) *exact {
		return &exact{counter: New(store, bucket, slog.Default(), At(func() time.Time { return at }), Within(time.Minute)), limit: most, per: time.Minute}
	}
	remembers, asks := made("remembers"), made("asks")
	asked := 0
	for range 150 {
		for range 2 {
			asks.refused = refused{}
			a, err := asks.count(t.Context(), store.Queries, "x")
			require.NoError(t, err)
			before := remembers.refused.has(slotOf("x", at.Truncate(time.Minute)).key, at)
			b, err := remembers.count(t.Context(), store.Queries, "x")
			require.NoError(t, err)
			require.Equal(t, a.refused, b.refused, at)
			if !before {
				asked++
			}
		}
		at = at.Add(time.Second)
	}
	require.Less(t, asked, 60)
}

// TestPlacesAreNoEarlierThanTheDatabaseSays compares with what AdmitRequest
// computes, at each millisecond before the place.
func TestPlacesAreNoEarlierThanTheDatabaseSays(t *testing.T) {
	t.Parallel()
	start, per := time.Unix(0, 0), time.Second
	for most := 1; most <= 12; most++ {
		for last := range 3*most + 1 {
			for now := range most + 1 {
				place := placeAt(start, per, most, now, last)
				for ms := range 1000 {
					at := start.Add(time.Duration(ms) * time.Millisecond)
					weight := 1 - float64(at.Sub(start))/float64(per)
					refuses := now+int(math.RoundToEven(float64(last)*weight)) >= most
					if at.Before(place) && now < most && last > 0 {
						require.True(t, refuses, "%d of %d, %d before, at %d ms", now, most, last, ms)
					}
					if !at.Before(place.Add(3 * time.Millisecond)) {
						require.False(t, refuses, "%d of %d, %d before, at %d ms", now, most, last, ms)
					}
				}
			}
		}
	}
}

// TestNothingIsRememberedOfATransaction: a transaction's own counts may be rolled back.
func TestNothingIsRememberedOfATransaction(t *testing.T) {
	t.Parallel()
	store := pgtest.New(t)
	at := time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
	l := NewExactLimiter(1, time.Minute, New(store, "recipient", slog.Default(), At(func() time.Time { return at }), Within(time.Minute)))
	err := store.Tx(t.Context(), func(q *db.Queries) error {
		for n := range 2 {
			within, err := l.Take(t.Context(), q, "x")
			require.NoError(t, err)
			require.Equal(t, n == 0, within)
		}
		return context.Canceled
	})
	require.ErrorIs(t, err, context.Canceled)
	within, err := l.Take(t.Context(), nil, "x")
	require.NoError(t, err)
	require.True(t, within)
}

func TestTheRefusedAreForgottenTogether(t *testing.T) {
	t.Parallel()
	var r refused
	now := time.Now()
	key := func(n int) [32]byte { return [32]byte{byte(n), byte(n >> 8), byte(n >> 16)} }
	for n := range refusedMost {
		r.remember(key(n), now.Add(time.Minute))
	}
	require.True(t, r.has(key(0), now))
	require.False(t, r.has(key(0), now.Add(time.Minute)))
	r.remember(key(refusedMost), now.Add(time.Minute))
	require.Len(t, r.until, 1)
}
