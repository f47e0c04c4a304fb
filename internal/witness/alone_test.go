package witness_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// maxWait is how long a test waits for an expected event, and tick how often it checks.
const (
	maxWait = 8 * time.Minute
	tick    = 10 * time.Millisecond
)

// another opens the same database as another process does.
func (b *bench) another(t *testing.T) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), b.store.Pool().Config().ConnString(), 4, postgres.ByHand)
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// slow is a place that answers when it is released, and counts its concurrent callers.
type slow struct {
	witness.Place

	asked   chan struct{}
	release chan struct{}
	at      *atomic.Int32
	most    *atomic.Int32
}

func (s slow) Read(ctx context.Context) (witness.Mark, error) {
	s.most.Store(max(s.most.Load(), s.at.Add(1)))
	defer s.at.Add(-1)
	s.asked <- struct{}{}
	<-s.release
	return s.Place.Read(ctx)
}

// TestWalletThatHangsHoldsNothingOfTheDatabase: while a wallet does not answer, no transaction
// is open and no connection of the pool is used. Other callers for the same wallet, in this
// process and in other ones, wait for their turn.
func TestWalletThatHangsHoldsNothingOfTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	s := slow{Place: b.file, asked: make(chan struct{}, 10), release: make(chan struct{}), at: &atomic.Int32{}, most: &atomic.Int32{}}
	w := b.keeper.Wallets[wallet]
	w.File = s
	b.keeper.Wallets[wallet] = w
	other := witnesstest.Keeper(b.store, wallet)
	other.Wallets = b.keeper.Wallets
	letGo := sync.OnceFunc(func() { close(s.release) })
	t.Cleanup(letGo)
	var compared sync.WaitGroup
	for _, k := range []*witness.Keeper{b.keeper, b.keeper, other, other} {
		compared.Go(func() { assert.NoError(t, k.Compare(t.Context(), wallet)) })
	}
	<-s.asked
	require.Eventually(t, func() bool { return b.store.Pool().Stat().AcquiredConns() == 0 }, maxWait, tick, "connections of the pool")
	require.Eventually(t, func() bool { // a statement under way is a transaction, too
		var open int
		err := b.store.Pool().QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL").Scan(&open)
		return err == nil && open == 0
	}, maxWait, tick, "transactions")
	letGo()
	compared.Wait()
	require.EqualValues(t, 1, s.most.Load())
}

// TestOtherProcessesWaitForARaise: each has a Store of its own, and the lock is the database's.
func TestOtherProcessesWaitForARaise(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	s := slow{Place: b.file, asked: make(chan struct{}, 10), release: make(chan struct{}), at: &atomic.Int32{}, most: &atomic.Int32{}}
	w := b.keeper.Wallets[wallet]
	w.File = s
	b.keeper.Wallets[wallet] = w
	other := witnesstest.Keeper(b.another(t), wallet)
	other.Wallets = b.keeper.Wallets
	letGo := sync.OnceFunc(func() { close(s.release) })
	t.Cleanup(letGo)
	var compared sync.WaitGroup
	compared.Go(func() { assert.NoError(t, b.keeper.Compare(t.Context(), wallet)) })
	<-s.asked
	compared.Go(func() { assert.NoError(t, other.Compare(t.Context(), wallet)) })
	require.Eventually(t, func() bool {
		var waiting int
		err := b.store.Pool().QueryRow(t.Context(), "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = "+
			"(SELECT oid FROM pg_database WHERE datname = current_database())").Scan(&waiting)
		return err == nil && waiting == 1
	}, maxWait, tick)
	letGo()
	compared.Wait()
	require.EqualValues(t, 1, s.most.Load())
}

// TestWhoLostTheDatabaseIsNotAlone: the lock ends with its session. Its holder detects that
// before a place is raised, and at the end.
func TestWhoLostTheDatabaseIsNotAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := false
	err := b.store.Alone(t.Context(), "a name", func(s *postgres.Session) error {
		require.NoError(t, s.Still(t.Context()))
		_, err := b.store.Pool().Exec(t.Context(),
			"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())")
		require.NoError(t, err)
		require.Eventually(t, func() bool { return s.Still(t.Context()) != nil }, maxWait, tick)
		asked = true
		return nil
	})
	require.Error(t, err)
	require.True(t, asked)
}

// TestALeaseDoesNotWaitForTheWallet: a comparison waits for a wallet that hangs. Meanwhile
// addresses are given out that its file learns of when it answers again. Until then Temporal
// has the only mark of them: if that is lost, the wallet goes into safe mode.
func TestALeaseDoesNotWaitForTheWallet(t *testing.T) {
	t.Parallel()
	for name, lost := range map[string]bool{"the wallet goes on": false, "Temporal is lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.publish(t, 6000)
			require.NoError(t, b.keeper.Compare(t.Context(), wallet))
			s := slow{Place: b.file, asked: make(chan struct{}, 10), release: make(chan struct{}), at: &atomic.Int32{}, most: &atomic.Int32{}}
			w := b.keeper.Wallets[wallet]
			w.File = s
			b.keeper.Wallets[wallet] = w
			var compared sync.WaitGroup
			letGo := sync.OnceFunc(func() { close(s.release) })
			t.Cleanup(letGo)
			compared.Go(func() { assert.NoError(t, b.keeper.Compare(t.Context(), wallet)) })
			<-s.asked
			for upTo := int64(1000); upTo <= 5000; upTo += 1000 {
				require.NoError(t, b.keeper.Extend(t.Context(), wallet, upTo))
			}
			for {
				last, err := b.take(t.Context())
				require.NoError(t, err)
				if last == 5000 {
					break
				}
			}
			require.False(t, b.keeper.Tended(wallet, 5000))
			letGo()
			compared.Wait()
			if !lost {
				b.follow(t)
				return
			}
			b.temporal.Forget()
			require.ErrorIs(t, b.keeper.Extend(t.Context(), wallet, 5500), witness.ErrUnknown, "only a comparison with the file shows which is right")
			require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
			b.requireSafe(t, "no place outside of the database knows")
		})
	}
}

// TestALeaseIsNotExtendedForAnOlderDatabase: Temporal alone shows it.
func TestALeaseIsNotExtendedForAnOlderDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 5))
	require.NoError(t, b.temporal.Raise(t.Context(), witness.Mark{Addresses: 9}, nil))
	require.ErrorIs(t, b.keeper.Extend(t.Context(), wallet, 7), witness.ErrSafeMode)
	b.requireSafe(t, "temporal knows addresses handed out up to index 9")
}

// TestAddressesAreHandedOutWhileTheLeaseIsExtended: a caller waits for the row that is being
// extended, and then takes addresses.
func TestAddressesAreHandedOutWhileTheLeaseIsExtended(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, 200)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 10))
	for range 9 {
		_, err := b.take(t.Context())
		require.NoError(t, err)
	}
	require.NoError(t, b.store.IntendAddresses(t.Context(), db.IntendAddressesParams{WalletID: wallet, Addresses: 200}))
	taken := make(chan error)
	require.NoError(t, b.store.Tx(t.Context(), func(q *db.Queries) error {
		if _, err := q.ExtendLease(t.Context(), db.ExtendLeaseParams{WalletID: wallet, LeaseTo: 200}); err != nil {
			return err
		}
		go func() {
			_, err := b.store.HandOutAddresses(t.Context(), db.HandOutAddressesParams{WalletID: wallet, Most: 32})
			taken <- err
		}()
		require.Eventually(t, func() bool {
			var waiting int
			err := b.store.Pool().QueryRow(t.Context(),
				"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting)
			return err == nil && waiting == 1
		}, maxWait, tick)
		return nil
	}))
	require.NoError(t, <-taken)
	for {
		last, err := b.take(t.Context())
		require.NoError(t, err)
		if last == 200 {
			break
		}
	}
}
