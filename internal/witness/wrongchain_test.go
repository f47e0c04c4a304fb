package witness_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/witness"
)

// tend calls Tend as a process that has just started, so that a comparison is due.
func (b *bench) tend(t *testing.T) (witness.Standing, error) {
	t.Helper()
	b.restart()
	return b.keeper.Tend(t.Context(), wallet)
}

// leave puts the wallet's daemon on another network, and lets Tend detect that.
func (b *bench) leave(t *testing.T) {
	t.Helper()
	b.chain.Break(fmt.Errorf("%w: it says stagenet", witness.ErrWrongChain))
	_, err := b.tend(t)
	require.ErrorIs(t, err, witness.ErrWrongChain)
	require.ErrorIs(t, err, witness.ErrUnknown)
	require.True(t, b.astray(t))
}

// astray reports whether an alert about the daemon's network is open.
func (b *bench) astray(t *testing.T) bool {
	t.Helper()
	open, err := b.store.HasAlert(t.Context(), db.HasAlertParams{Kind: alert.WrongChain, Subject: wallet})
	require.NoError(t, err)
	return open
}

// ready opens a lease that reaches ten addresses.
func ready(t *testing.T) *bench {
	t.Helper()
	b := setup(t)
	b.publish(t, 20)
	_, err := b.tend(t)
	require.NoError(t, err)
	require.NoError(t, b.keeper.Extend(t.Context(), wallet, 10))
	b.follow(t)
	return b
}

// TestALeaseIsWithheldOnAnotherNetwork: while the daemon is on another network, no
// address is given out and no transaction is built. Afterwards the ready addresses are
// given out, however often the network changes, because they were not given out
// meanwhile.
func TestALeaseIsWithheldOnAnotherNetwork(t *testing.T) {
	t.Parallel()
	b := ready(t)
	for i := range int32(5) {
		index, err := b.take(t.Context())
		require.NoError(t, err)
		require.Equal(t, i+1, index, "none is lost")
		b.leave(t)
		b.leave(t)
		_, err = b.take(t.Context())
		require.ErrorIs(t, err, pgx.ErrNoRows)
		require.ErrorIs(t, b.keeper.Compare(t.Context(), wallet), witness.ErrWrongChain)
		b.chain.Break(nil)
		stands, err := b.tend(t)
		require.NoError(t, err)
		require.Equal(t, witness.Standing{To: 10}, stands)
		require.False(t, b.astray(t))
	}
}

// TestAWithheldLeaseEndsWithWhatItWasOpenedFor: a lease does not continue if more
// addresses may have been given out than this database knows: in another instance of it,
// or when a payment came to an index above.
func TestAWithheldLeaseEndsWithWhatItWasOpenedFor(t *testing.T) {
	t.Parallel()
	t.Run("another instance", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		b.moved(t)
		b.chain.Break(nil)
		stands, err := b.tend(t)
		require.NoError(t, err)
		require.Equal(t, witness.Standing{From: 10, To: 10}, stands)
	})
	t.Run("an index above", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		require.NoError(t, b.store.IntendAddresses(t.Context(), db.IntendAddressesParams{WalletID: wallet, Addresses: 15}))
		b.chain.Break(nil)
		stands, err := b.tend(t)
		require.NoError(t, err)
		require.Equal(t, witness.Standing{From: 15, To: 15}, stands)
		require.False(t, b.astray(t))
	})
}

// TestTheNoticeOfAnotherNetworkEndsWithIt: the alert ends with its cause, whatever the
// wallet's state. Otherwise readiness would fail forever.
func TestTheNoticeOfAnotherNetworkEndsWithIt(t *testing.T) {
	t.Parallel()
	t.Run("by a recovery", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		b.chain.Break(nil)
		sent := entry(7) // an older copy of the database was restored in the same incident
		require.NoError(t, b.file.Raise(t.Context(), witness.Mark{Sends: 7}, &sent))
		stands, err := b.tend(t)
		require.NoError(t, err)
		require.NotEmpty(t, stands.Safe)
		recoverer := b.recoverer()
		recoverer.Accept = []string{witness.AcceptAll}
		done, err := recoverer.Apply(t.Context(), wallet)
		require.NoError(t, err)
		require.True(t, done.Ended)
		require.False(t, b.astray(t))
	})
	t.Run("where another version opened the lease", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		require.NoError(t, b.store.OpenLease(t.Context(), db.OpenLeaseParams{WalletID: wallet}))
		b.chain.Break(nil)
		_, err := b.tend(t)
		require.NoError(t, err)
		require.False(t, b.astray(t))
	})
	t.Run("not by a chain that does not answer", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		b.chain.Break(errors.New("it is away"))
		_, err := b.tend(t)
		require.ErrorIs(t, err, witness.ErrUnknown)
		require.True(t, b.astray(t))
	})
	t.Run("with the wallet's entry", func(t *testing.T) {
		t.Parallel()
		b := ready(t)
		b.leave(t)
		for _, kept := range [][]string{{"other", wallet}, {"other"}} {
			require.NoError(t, b.store.ResolveAlertsExcept(t.Context(), db.ResolveAlertsExceptParams{Kind: alert.WrongChain, Subjects: kept}))
			require.Equal(t, len(kept) == 2, b.astray(t))
		}
	})
}
