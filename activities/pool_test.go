package activities_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// hung is the file of a wallet that does not answer before it is let go.
type hung struct {
	witness.Place

	release chan struct{}
}

func (h hung) Read(ctx context.Context) (witness.Mark, error) {
	select {
	case <-h.release:
		return h.Place.Read(ctx)
	case <-ctx.Done():
		return witness.Mark{}, ctx.Err()
	}
}

func (h hung) Raise(ctx context.Context, to witness.Mark, e *witness.Entry) error {
	if _, err := h.Read(ctx); err != nil {
		return err
	}
	return h.Place.Raise(ctx, to, e)
}

// poolOf returns a pool with an open lease, whose wallet derives its addresses.
func poolOf(t *testing.T, s *shop, ready int64) *incoming.Pool {
	t.Helper()
	s.exec(t, "DELETE FROM addresses")
	s.exec(t, "DELETE FROM witnesses")
	s.exec(t, "UPDATE chains SET scanned_at = now()")
	keeper := witnesstest.Keeper(s.store, walletID)
	require.NoError(t, keeper.Compare(t.Context(), walletID))
	return &incoming.Pool{
		Store: s.store, Level: func(string, int) {}, Log: slog.New(slog.DiscardHandler), Witness: keeper,
		Wallets: map[string]incoming.Wallet{walletID: {Maker: incoming.MoneroMaker{Deriver: deriverOf(t)}, Ready: ready}},
	}
}

func free(t *testing.T, s *shop) int64 {
	t.Helper()
	n, err := s.store.FreeAddresses(t.Context(), db.FreeAddressesParams{WalletID: walletID, Limit: 1 << 20})
	require.NoError(t, err)
	return n
}

// TestPoolIsFilledWhenHalfIsGone hands out addresses until fewer than half are left.
func TestPoolIsFilledWhenHalfIsGone(t *testing.T) {
	t.Parallel()
	s := open(t, 0)
	pool := poolOf(t, s, 2500)
	for range 2 {
		require.NoError(t, pool.TopUp(t.Context(), walletID))
		require.EqualValues(t, 2500, free(t, s))
	}
	take := func(until int32) {
		for last := int32(0); last < until; {
			var err error
			last, err = witnesstest.Take(t.Context(), s.store, walletID)
			require.NoError(t, err)
			require.LessOrEqual(t, last, until)
		}
	}
	take(1250)
	require.NoError(t, pool.TopUp(t.Context(), walletID))
	require.EqualValues(t, 1250, free(t, s))
	take(1251)
	require.NoError(t, pool.TopUp(t.Context(), walletID))
	require.EqualValues(t, 2500, free(t, s))
	address, err := s.store.AddressAt(t.Context(), db.AddressAtParams{WalletID: walletID, SubaddressIndex: 3751})
	require.NoError(t, err)
	require.Equal(t, deriverOf(t).Subaddress(0, 3751), address)
}

// TestPoolWaitsForTheFirstScan: nothing would find payments in the blocks before it.
func TestPoolWaitsForTheFirstScan(t *testing.T) {
	t.Parallel()
	s := open(t, 0)
	pool := poolOf(t, s, 20)
	s.exec(t, "UPDATE chains SET scanned_at = NULL")
	require.NoError(t, pool.TopUp(t.Context(), walletID))
	require.Zero(t, free(t, s))
}

// TestPoolIsFilledWhileTheWalletHangs: the wallet does not answer while five thousand addresses
// are handed out. Its file follows when it does.
func TestPoolIsFilledWhileTheWalletHangs(t *testing.T) {
	t.Parallel()
	s := open(t, 0)
	pool := poolOf(t, s, 2000)
	w := pool.Witness.Wallets[walletID]
	file := w.File.(*witnesstest.Memory)
	h := hung{Place: file, release: make(chan struct{})}
	letGo := sync.OnceFunc(func() { close(h.release) })
	t.Cleanup(letGo)
	w.File = h
	pool.Witness.Wallets[walletID] = w
	pool.Witness.Clock = func() time.Time { return time.Now().Add(time.Hour) } // a comparison is due

	var env testsuite.WorkflowTestSuite
	activities := env.NewTestActivityEnvironment()
	activities.RegisterActivity(pool.FillPools)
	stop := make(chan struct{})
	activities.SetWorkerStopChannel(stop)
	filled := make(chan error)
	go func() {
		_, err := activities.ExecuteActivity(pool.FillPools)
		filled <- err
	}()
	for last := int32(0); last < 5000; {
		index, err := witnesstest.Take(t.Context(), s.store, walletID)
		if err == nil {
			require.Equal(t, last+1, index)
			last = index
		}
	}
	mark, err := file.Read(t.Context())
	require.NoError(t, err)
	require.Zero(t, mark.Addresses, "it hangs")
	letGo()
	require.Eventually(t, func() bool {
		mark, err := file.Read(t.Context())
		return err == nil && mark.Addresses >= 5000
	}, time.Minute, 10*time.Millisecond)
	close(stop)
	require.ErrorContains(t, errors.Join(<-filled), "the worker is stopping")
}
