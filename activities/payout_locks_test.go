package activities_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
)

// TestReservationAndChargeTakeTheirRowsInOneOrder: a charge that is advanced has its row,
// and then its payments. A sweep that reserves a payment of it waits for the row and has
// none of the payments meanwhile. So does a build that lets go of one.
func TestReservationAndChargeTakeTheirRowsInOneOrder(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET fresh = true")
	require.NoError(t, err)
	in := s.sweep()
	reserve := func() error { _, err := s.payouts().ReservePayout(t.Context(), in); return err }
	letGo := func() error {
		return s.store.UnreserveSomePayments(t.Context(), db.UnreserveSomePaymentsParams{Ids: s.paymentsOf(t, in.PayoutID), PayoutID: in.PayoutID})
	}
	for _, does := range []func() error{reserve, letGo} {
		advance, err := s.store.Pool().Begin(t.Context())
		require.NoError(t, err)
		t.Cleanup(func() { _ = advance.Rollback(context.Background()) })
		q := s.store.WithTx(advance)
		_, err = q.LockCharge(t.Context(), charge)
		require.NoError(t, err)
		var other sync.WaitGroup
		other.Go(func() { assert.NoError(t, does()) })
		pgtest.AwaitBlocked(t, s.store, advance, 1)
		require.NoError(t, q.UnfreshPayments(t.Context(), db.UnfreshPaymentsParams{ChargeID: charge, UpTo: 1 << 40}))
		_, err = advance.Exec(t.Context(), "UPDATE received_payments SET fresh = true")
		require.NoError(t, err)
		require.NoError(t, advance.Commit(t.Context()))
		other.Wait()
	}
	row, err := s.store.Charge(t.Context(), charge, start)
	require.NoError(t, err)
	require.Nil(t, row.Charge.PayoutID)
}
