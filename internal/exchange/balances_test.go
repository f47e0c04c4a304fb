package exchange_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
)

// shelf has one wallet and counts how often it is read.
type shelf struct {
	readings atomic.Int32
	unlocked atomic.Int64
	err      error
	// begun receives a value for each reading, which then waits for release. With nil
	// channels readings do not wait.
	begun, release chan struct{}
}

func (s *shelf) GetWallet(_ context.Context, id string) (db.Wallet, error) {
	s.readings.Add(1)
	if s.begun != nil {
		s.begun <- struct{}{}
		<-s.release
	}
	return db.Wallet{ID: id, Unlocked: money.DecimalFromInt(s.unlocked.Load())}, s.err
}

func (s *shelf) ReservedInventory(context.Context, string) (db.ReservedInventoryRow, error) {
	return db.ReservedInventoryRow{}, nil
}

func TestRecentBalancesReadAWalletOnceASecond(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	upstream := &shelf{}
	reader := exchange.NewRecentBalances(upstream, func() time.Time { return now })
	unlocked := func(id string) string {
		wallet, err := reader.GetWallet(t.Context(), id)
		require.NoError(t, err)
		_, err = reader.ReservedInventory(t.Context(), id)
		require.NoError(t, err)
		return wallet.Unlocked.String()
	}
	upstream.unlocked.Store(7)
	require.Equal(t, "7", unlocked("xmr"))
	upstream.unlocked.Store(5)
	now = now.Add(time.Second - 1)
	require.Equal(t, "7", unlocked("xmr"))
	require.EqualValues(t, 1, upstream.readings.Load())
	require.Equal(t, "5", unlocked("ltc"), "another wallet is read by itself")
	now = now.Add(1)
	require.Equal(t, "5", unlocked("xmr"), "a second has passed")
	now = now.Add(-time.Hour)
	upstream.unlocked.Store(4)
	require.Equal(t, "4", unlocked("xmr"), "a clock that was set back keeps nothing alive")

	upstream.err = errors.New("away")
	now = now.Add(time.Hour)
	_, err := reader.GetWallet(t.Context(), "xmr")
	require.ErrorIs(t, err, upstream.err)
	upstream.err = nil
	require.Equal(t, "4", unlocked("xmr"), "errors are not kept")
}

// TestRecentBalancesAreReadOnceForMany lets many callers ask during one reading.
// One of them cancels and does not wait for it.
func TestRecentBalancesAreReadOnceForMany(t *testing.T) {
	t.Parallel()
	upstream := &shelf{begun: make(chan struct{}), release: make(chan struct{})}
	now := time.Now()
	reader := exchange.NewRecentBalances(upstream, func() time.Time { return now })
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			_, err := reader.GetWallet(t.Context(), "xmr")
			require.NoError(t, err)
		})
	}
	<-upstream.begun
	gone, leave := context.WithCancel(t.Context())
	leave()
	_, err := reader.GetWallet(gone, "xmr")
	require.ErrorIs(t, err, context.Canceled)
	close(upstream.release)
	wg.Wait()
	require.EqualValues(t, 1, upstream.readings.Load())
}

// TestWhoFindsAnOldPageDoesNotReadARecentOneAgain lets another caller read the
// wallet after the first one has found an old page and before it reads.
func TestWhoFindsAnOldPageDoesNotReadARecentOneAgain(t *testing.T) {
	t.Parallel()
	upstream := &shelf{}
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var meanwhile func()
	reader := exchange.NewRecentBalances(upstream, func() time.Time {
		if f := meanwhile; f != nil {
			meanwhile = nil
			f()
		}
		return now
	})
	ask := func() {
		_, err := reader.GetWallet(t.Context(), "xmr")
		require.NoError(t, err)
	}
	ask()
	now = now.Add(time.Second)
	meanwhile = ask
	ask()
	require.EqualValues(t, 2, upstream.readings.Load())
}
