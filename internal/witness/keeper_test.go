package witness_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

const wallet = "live-1"

// bench is a wallet with both places in memory, on a database of its own.
type bench struct {
	store          *postgres.Store
	keeper         *witness.Keeper
	file, temporal *witnesstest.Memory
	chain          *witnesstest.Chain
}

func setup(t *testing.T) *bench {
	t.Helper()
	b := &bench{store: pgtest.New(t)}
	require.NoError(t, b.store.UpsertWallet(t.Context(), db.UpsertWalletParams{ID: wallet, ChainID: "xmr-Mainnet", Mode: "live", PrimaryAddress: "primary"}))
	b.restart()
	w := b.keeper.Wallets[wallet]
	b.file, b.temporal, b.chain = w.File.(*witnesstest.Memory), w.Temporal.(*witnesstest.Memory), w.Chain.(*witnesstest.Chain)
	return b
}

// restart replaces the keeper, as another process with the same places does.
func (b *bench) restart() {
	k := witnesstest.Keeper(b.store, wallet)
	if b.keeper != nil {
		k.Wallets = b.keeper.Wallets
	}
	b.keeper = k
}

// publish adds addresses up to an index.
func (b *bench) publish(t *testing.T, until int32) {
	t.Helper()
	rows := db.PublishAddressesParams{WalletID: wallet}
	for i := int32(1); i <= until; i++ {
		rows.Indices, rows.Addresses = append(rows.Indices, i), append(rows.Addresses, fmt.Sprintf("address %d", i))
	}
	require.NoError(t, b.store.PublishAddresses(t.Context(), rows))
}

func (b *bench) take(ctx context.Context) (int32, error) {
	return witnesstest.Take(ctx, b.store, wallet)
}

// moved makes the database another instance, as a restart or a restore does.
func (b *bench) moved(t *testing.T) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), "VACUUM FULL witnesses")
	require.NoError(t, err)
}

// stored numbers transactions up to n, as storing their bytes does.
func (b *bench) stored(t *testing.T, n int64) {
	t.Helper()
	_, err := b.store.Pool().Exec(t.Context(), "INSERT INTO outgoing_sequences VALUES ($1, $2) ON CONFLICT (wallet_id) DO UPDATE SET seq = $2", wallet, n)
	require.NoError(t, err)
}

func (b *bench) row(t *testing.T) db.Witness {
	t.Helper()
	row, err := b.store.GetWitness(t.Context(), wallet)
	require.NoError(t, err)
	return row.Witness
}

func (b *bench) requireSafe(t *testing.T, reason string) {
	t.Helper()
	s, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	require.Contains(t, s.Safe, reason)
	open, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: "safe_mode", Subject: wallet})
	require.NoError(t, err)
	require.True(t, open)
	_, err = b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows)
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	for _, again := range []bool{false, true} {
		require.ErrorIs(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(1), again), witness.ErrSafeMode)
	}
	require.ErrorIs(t, b.keeper.Extend(t.Context(), wallet, 1<<20), witness.ErrSafeMode)
}

func entry(seq int64) witness.Entry {
	return witness.Entry{Seq: seq, TxHash: fmt.Sprintf("tx %d", seq), Purpose: "payout", Amount: "5", Fee: "1"}
}

func TestNothingIsHandedOutBeyondTheLease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, 10)
	_, err := b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows, "no lease was opened")
	s, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	require.Equal(t, witness.Standing{}, s)
	_, err = b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows, "the lease is empty")
	for range 2 {
		require.NoError(t, b.keeper.Extend(t.Context(), wallet, 3))
	}
	for i := range int32(3) {
		index, err := b.take(t.Context())
		require.NoError(t, err)
		require.Equal(t, i+1, index)
	}
	_, err = b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows)
	for _, place := range []*witnesstest.Memory{b.file, b.temporal} {
		mark, err := place.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, witness.Mark{Addresses: 3}, mark)
	}
	free, err := b.store.FreeAddresses(t.Context(), db.FreeAddressesParams{WalletID: wallet, Limit: 100})
	require.NoError(t, err)
	require.Zero(t, free)
}

// TestAnotherInstanceBurnsWhatWasFree: after a restart or a restore of the server no
// address is given out before the places were asked, and then no address that an
// earlier lease could have given out.
func TestAnotherInstanceBurnsWhatWasFree(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, 10)
	_, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 5))
	_, err = b.take(t.Context())
	require.NoError(t, err)
	b.moved(t)
	_, err = b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows, "another instance: no lease")
	require.ErrorIs(t, b.keeper.Extend(t.Context(), wallet, 10), witness.ErrUnknown)

	b.temporal.Break(errors.New("down"))
	_, err = b.keeper.Ensure(t.Context(), wallet)
	require.ErrorIs(t, err, witness.ErrUnknown, "every place is asked")
	b.temporal.Break(nil)
	b.chain.Break(errors.New("down"))
	_, err = b.keeper.Ensure(t.Context(), wallet)
	require.ErrorIs(t, err, witness.ErrUnknown, "and the chain")
	b.chain.Break(nil)
	s, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	require.Equal(t, witness.Standing{From: 10, To: 10}, s, "the end that was intended counts, too")
	_, err = b.take(t.Context())
	require.ErrorIs(t, err, pgx.ErrNoRows)
	b.publish(t, 12)
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 12))
	index, err := b.take(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 11, index)
}

// TestDeathBetweenIntentAndLease: a process that dies after the places were raised
// leaves neither a database that looks older nor one that all places seem to have
// forgotten.
func TestDeathBetweenIntentAndLease(t *testing.T) {
	t.Parallel()
	for name, raised := range map[string]bool{"after the intent": false, "after the mark": true} {
		b := setup(t)
		_, err := b.keeper.Ensure(t.Context(), wallet)
		require.NoError(t, err)
		require.NoError(t, b.keeper.Extend(t.Context(), wallet, 5))
		require.NoError(t, b.store.IntendAddresses(t.Context(), db.IntendAddressesParams{WalletID: wallet, Addresses: 9}))
		if raised {
			require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Addresses: 9}, nil))
		}
		b.restart()
		require.NoError(t, b.keeper.Compare(t.Context(), wallet), name)
		b.moved(t)
		require.NoError(t, b.keeper.Compare(t.Context(), wallet), name)
		s, err := b.keeper.Ensure(t.Context(), wallet)
		require.NoError(t, err, name)
		require.Equal(t, witness.Standing{From: 9, To: 9}, s, name)
		require.NoError(t, b.keeper.Compare(t.Context(), wallet), name)
	}
}

func TestTakersAtTheSameTimeGetDifferentAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, 40)
	_, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 30))
	var mu sync.Mutex
	seen := map[int32]bool{}
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			index, err := b.take(t.Context())
			if errors.Is(err, pgx.ErrNoRows) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			require.NoError(t, err)
			require.False(t, seen[index])
			seen[index] = true
		})
	}
	wait.Wait()
	require.NotEmpty(t, seen)
	require.LessOrEqual(t, len(seen), 30)
}

// TestKeepersAtTheSameTime: several workers open and extend one wallet's lease.
func TestKeepersAtTheSameTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var wait sync.WaitGroup
	for n := range 6 {
		k := witnesstest.Keeper(b.store, wallet)
		k.Wallets = b.keeper.Wallets
		wait.Go(func() {
			_, err := k.Ensure(t.Context(), wallet)
			require.NoError(t, err)
			require.NoError(t, k.Extend(t.Context(), wallet, int64(10+n)))
		})
	}
	wait.Wait()
	row := b.row(t)
	require.EqualValues(t, 15, row.LeaseTo)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
}

func TestRelayRaisesFirst(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	b.stored(t, 1)
	b.file.Break(errors.New("down"))
	require.ErrorIs(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(1), false), witness.ErrUnknown, "the wallet's own file must have it")
	b.file.Break(nil)
	for range 2 {
		require.NoError(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(1), false))
	}
	for _, place := range []*witnesstest.Memory{b.file, b.temporal} {
		mark, err := place.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, witness.Mark{Sends: 1}, mark)
		journal, err := place.Journal(t.Context(), []string{"tx 1", "tx 2"})
		require.NoError(t, err)
		require.Equal(t, map[string]witness.Entry{"tx 1": entry(1)}, journal)
	}
	raises := b.file.Raises()
	require.NoError(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(1), true))
	require.Equal(t, raises, b.file.Raises(), "again asks no place")
}

// TestRelayWithoutTemporal: Temporal alone does not block a send. The next comparison
// raises its mark.
func TestRelayWithoutTemporal(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	b.stored(t, 1)
	b.temporal.Break(errors.New("down"))
	require.NoError(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(1), false))
	b.temporal.Break(nil)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	mark, err := b.temporal.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, witness.Mark{Sends: 1}, mark)
}

func TestOlderDatabaseIsInSafeMode(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		age    func(t *testing.T, b *bench)
		reason string
	}{
		"a send": {func(t *testing.T, b *bench) {
			require.NoError(t, b.temporal.Raise(t.Context(), witness.Mark{Sends: 3}, nil))
		}, "temporal knows a transaction numbered 3, the database knows 2"},
		"addresses": {func(t *testing.T, b *bench) {
			require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Addresses: 6}, nil))
		}, "file knows addresses handed out up to index 6, the database knows 5"},
		"the chain":        {func(_ *testing.T, b *bench) { b.chain.Show(witness.Sent{TxHash: "unknown", Height: 7}) }, "such as unknown"},
		"the chain's pool": {func(_ *testing.T, b *bench) { b.chain.Show(witness.Sent{TxHash: "unknown"}) }, "such as unknown"},
		"all marks are lost": {func(_ *testing.T, b *bench) {
			b.file.Set(witness.Mark{})
			b.temporal.Set(witness.Mark{})
		}, "no place outside of the database knows"},
	} {
		for _, restarted := range []bool{false, true} {
			b := setup(t)
			require.NoError(t, b.keeper.Compare(t.Context(), wallet))
			require.NoError(t, b.keeper.Extend(t.Context(), wallet, 5))
			b.publish(t, 5)
			b.stored(t, 2)
			require.NoError(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(2), false))
			c.age(t, b)
			if restarted {
				b.moved(t)
			}
			require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode, name)
			b.requireSafe(t, c.reason)
			b.restart()
			b.requireSafe(t, c.reason)
		}
	}
}

// restingChain returns the transactions at the time of the newest block: none.
type restingChain struct{ *witnesstest.Chain }

func (restingChain) SentByBlock(context.Context, int64) ([]witness.Sent, int64, error) {
	return nil, 0, nil
}

// TestASpendByHandIsSeenBeforeMoneyMoves: an operator pays from the wallet by hand,
// and no block has come since.
func TestASpendByHandIsSeenBeforeMoneyMoves(t *testing.T) {
	t.Parallel()
	for name, moves := range map[string]func(context.Context, *witness.Keeper) error{
		"build": func(ctx context.Context, k *witness.Keeper) error { return k.Compare(ctx, wallet) },
		"relay": func(ctx context.Context, k *witness.Keeper) error { return k.BeforeRelay(ctx, wallet, entry(1), false) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			w := b.keeper.Wallets[wallet]
			w.Chain = restingChain{b.chain}
			b.keeper.Wallets[wallet] = w
			_, err := b.keeper.Tend(t.Context(), wallet)
			require.NoError(t, err)
			b.stored(t, 1)
			b.chain.Show(witness.Sent{TxHash: "by hand"})
			require.ErrorIs(t, moves(t.Context(), b.keeper), witness.ErrSafeMode)
			b.requireSafe(t, "such as by hand")
		})
	}
}

// TestOlderPlaceIsRaised: an older wallet file, or a lost Temporal, is repaired while
// the other place agrees with the database.
func TestOlderPlaceIsRaised(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 5))
	b.stored(t, 2)
	require.NoError(t, b.keeper.BeforeRelay(t.Context(), wallet, entry(2), false))
	for _, place := range []*witnesstest.Memory{b.file, b.temporal} {
		for _, older := range []witness.Mark{{}, {Sends: 1, Addresses: 5}, {Sends: 2, Addresses: 4}} {
			place.Set(older)
			require.NoError(t, b.keeper.Compare(t.Context(), wallet))
			mark, err := place.Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, witness.Mark{Sends: 2, Addresses: 5}, mark)
		}
	}
}

// TestUpgradeComesUpByItself: a database with a history and no marks anywhere is not
// an older copy.
func TestUpgradeComesUpByItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.publish(t, 10)
	require.NoError(t, b.store.EnsureWitness(t.Context(), wallet))
	b.stored(t, 40)
	b.chain.Show(witness.Sent{TxHash: "by hand, before", Height: 1000})
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 10))
	index, err := b.take(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 1, index)
	mark, err := b.file.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, witness.Mark{Sends: 40, Addresses: 10}, mark)
	row := b.row(t)
	require.NotNil(t, row.BegunAt)
	require.WithinDuration(t, time.Now(), *row.BegunAt, time.Hour)
}

// TestADatabaseOfBeforeTheWitness: a dump of a version without marks, restored after
// marks were written, is older.
func TestADatabaseOfBeforeTheWitness(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.file.Set(witness.Mark{Sends: 1})
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	b.requireSafe(t, "file knows a transaction numbered 1, the database knows 0")
}
