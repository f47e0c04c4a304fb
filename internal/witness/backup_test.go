package witness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// backup is the state of the wallet at the time of a backup of the database and of
// Temporal.
type backup struct {
	row      db.Witness
	temporal witness.Mark
}

// backUp gives ten addresses to the pool and hands out four of them, and makes a backup.
func (b *bench) backUp(t *testing.T) backup {
	t.Helper()
	b.extend(t, 10)
	for range 4 {
		_, err := b.take(t.Context())
		require.NoError(t, err)
	}
	temporal, err := b.temporal.Read(t.Context())
	require.NoError(t, err)
	return backup{b.row(t), temporal}
}

// extend publishes addresses up to an index and extends the lease to them.
func (b *bench) extend(t *testing.T, upTo int64) {
	t.Helper()
	_, err := b.keeper.Ensure(t.Context(), wallet)
	require.NoError(t, err)
	b.publish(t, int32(upTo))
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, upTo))
}

// sell gives out addresses that the backup does not know, and returns the last.
func (b *bench) sell(t *testing.T) (last int32) {
	t.Helper()
	b.extend(t, 60)
	for range 30 {
		var err error
		last, err = b.take(t.Context())
		require.NoError(t, err)
	}
	return last
}

// restore resets the rows and Temporal to the backup, in another instance of the database.
// dumped means that they were loaded from a dump, into a new database.
func (b *bench) restore(t *testing.T, of backup, dumped bool) {
	t.Helper()
	b.exec(t, "DELETE FROM addresses WHERE subaddress_index > 10")
	b.exec(t, `UPDATE witnesses SET addresses = $2, lease_from = $3, lease_to = $4, sends = $5, known_height = $6, handed_out = $7, lost_addresses = 0 WHERE wallet_id = $1`,
		wallet, of.row.Addresses, of.row.LeaseFrom, of.row.LeaseTo, of.row.Sends, of.row.KnownHeight, of.row.HandedOut)
	if dumped {
		b.exec(t, "UPDATE witnesses SET lease_copy = 'of another server'")
	}
	b.temporal.Forget()
	b.temporal.Set(of.temporal)
	b.moved(t)
	b.restart()
}

// TestRestoreGivesNoAddressToASecondOwner: database and Temporal come from one backup, and
// agree. An intact file of the wallet knows how many addresses were given out since. A file
// that was created again, or comes from a backup too, does not. Then safe mode lasts until an
// operator says how many there were.
func TestRestoreGivesNoAddressToASecondOwner(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dumped, fileLost, fileCopied bool
		upTo                         int64
		reason                       string
	}{
		"a dump, and a wallet of its seed":                      {dumped: true, fileLost: true, upTo: 40, reason: "restored from a backup"},
		"a dump, and the wallet's file, which is said to be it": {dumped: true, upTo: 1, reason: "restored from a backup"},
		"a dump, and a copy of the wallet's file that is newer": {dumped: true, fileCopied: true, upTo: 40, reason: "restored from a backup"},
		"the server's files, and a wallet of its seed":          {fileLost: true, upTo: 40, reason: "file knows nothing"},
		"the server's files, and the wallet's file":             {reason: "file knows addresses handed out up to index 60"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			saved := b.backUp(t)
			b.extend(t, 12)
			copied, err := b.file.Read(t.Context())
			require.NoError(t, err)
			last := b.sell(t)
			b.restore(t, saved, c.dumped)
			if c.fileLost || c.fileCopied {
				b.file.Forget()
			}
			if c.fileCopied {
				b.file.Set(copied)
			}
			require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
			b.requireSafe(t, c.reason)
			r := b.recoverer()
			asked, err := r.Show(t.Context(), wallet)
			require.NoError(t, err)
			require.Equal(t, c.upTo > 0, strings.Contains(asked.Missing, "--addresses-up-to=N"), asked.Missing)
			if c.upTo > 0 {
				b.requireNotEnded(t, r)
				r.AddressesUpTo = c.upTo
			}
			if c.upTo > 1 {
				b.requireNotEnded(t, r) // the watcher has not made the addresses yet
				b.read(t)
			}
			shown, err := r.Show(t.Context(), wallet)
			require.NoError(t, err)
			for n := range 2 {
				done, err := r.Apply(t.Context(), wallet)
				require.NoError(t, err)
				require.Equal(t, n == 0, done.Ended)
			}
			require.NoError(t, b.keeper.Compare(t.Context(), wallet))
			b.extend(t, shown.Burned+5)
			next, err := b.take(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, shown.Burned+1, next)
			require.Greater(t, next, last)
		})
	}
}

// requireNotEnded applies a recovery that leaves the wallet in safe mode.
func (b *bench) requireNotEnded(t *testing.T, r *witness.Recoverer) {
	t.Helper()
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Applied)
	require.False(t, done.Ended)
	require.NotEmpty(t, done.Missing)
	b.requireSafe(t, "")
}

// read is what the wallet's watcher does while the wallet has to read the chain again. It
// requires that the wallet has to.
func (b *bench) read(t *testing.T) {
	t.Helper()
	row, err := b.store.ChainOfWallet(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, row.Rescan, "the wallet has read past payments to addresses that it did not know")
	require.Zero(t, row.SettledHeight, "the watcher reads all blocks again")
	b.exec(t, "UPDATE chains SET rescan = false, chain_height = 500 WHERE id = $1", row.ID)
}

// TestOneBackupIsRestoredTwice: everything is lost, restored, and lost again after more
// addresses were given out. The same backup then leads to no address that the second copy
// gave out.
func TestOneBackupIsRestoredTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	saved := b.backUp(t)
	last := b.sell(t)
	for range 3 {
		b.restore(t, saved, true)
		b.file.Forget()
		b.temporal.Forget()
		require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
		r := b.recoverer()
		b.requireNotEnded(t, r)
		r.AddressesUpTo = int64(last)
		b.requireNotEnded(t, r)
		highest, err := b.store.HighestMadeAddress(t.Context(), wallet)
		require.NoError(t, err)
		require.EqualValues(t, last, highest, "the watcher makes all of them")
		b.read(t)
		done, err := r.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.True(t, done.Ended, done.Missing)
		b.extend(t, done.Burned+30)
		for range 20 {
			next, err := b.take(t.Context())
			require.NoError(t, err)
			require.Greater(t, next, last, "it has an owner")
			last = next
		}
	}
}

// TestRestoreIsDistinguishedFromAFailover: a server that was restarted, and a replica that was
// promoted, are the same copy. A copy that was recovered keeps its own lease.
func TestRestoreIsDistinguishedFromAFailover(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.backUp(t)
	b.moved(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
	b.exec(t, "UPDATE witnesses SET lease_copy = 'of another server'")
	require.NoError(t, b.keeper.Compare(t.Context(), wallet), "an instance that was compared goes on")
	b.moved(t)
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	r := b.recoverer()
	r.AddressesUpTo = 1
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Ended)
	b.moved(t)
	require.NoError(t, b.keeper.Compare(t.Context(), wallet))
}

// grown is a chain whose wallet is given the number of its addresses.
type grown struct {
	*unread

	made int64
}

func (c *grown) Restore(ctx context.Context, highest int64) (bool, error) {
	c.made = max(c.made, highest)
	return c.unread.Restore(ctx, highest)
}

// TestRecoverLetsANewWalletSeeLostAddresses: payments may have come to addresses that the
// database does not know, and outgoing transactions may have spent them.
func TestRecoverLetsANewWalletSeeLostAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	saved := b.backUp(t)
	last := b.sell(t)
	b.restore(t, saved, true)
	b.file.Forget()
	w := b.keeper.Wallets[wallet]
	of := &grown{unread: &unread{Chain: b.chain}}
	w.Chain = of
	b.keeper.Wallets[wallet] = w
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	r := b.recoverer()
	r.AddressesUpTo = int64(last)
	_, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.EqualValues(t, last, of.made)
}

// TestAnswersAboutAddressesThatCannotBeRight: each is refused with a reason and changes
// nothing. A lower answer does not take an earlier one back.
func TestAnswersAboutAddressesThatCannotBeRight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	saved := b.backUp(t)
	last := int64(b.sell(t))
	b.restore(t, saved, true)
	b.file.Forget()
	b.temporal.Forget()
	require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrSafeMode)
	r := b.recoverer()
	for _, upTo := range []int64{-1, 9, 10_000_001, 1 << 31, 1 << 32} {
		r.AddressesUpTo = upTo
		b.requireNotEnded(t, r)
		shown, err := r.Show(t.Context(), wallet)
		require.NoError(t, err)
		require.Contains(t, shown.Missing, fmt.Sprintf("--addresses-up-to=%d cannot be right", upTo))
		require.Less(t, b.row(t).LostAddresses, int64(10))
	}
	r.AddressesUpTo = last
	b.requireNotEnded(t, r)
	b.read(t)
	r.AddressesUpTo = last - 20
	done, err := r.Apply(t.Context(), wallet)
	require.NoError(t, err)
	require.True(t, done.Ended, done.Missing)
	require.Equal(t, last, done.Burned)
}
