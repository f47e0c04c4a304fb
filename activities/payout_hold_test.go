package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// TestHoldThatIsWrittenMeanwhileCounts: another transaction has the merchant's row and
// writes a hold, while a sweep and a claim wait for that row.
func TestHoldThatIsWrittenMeanwhileCounts(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.payTo(t)
	charge := s.earn(t, 100)
	s.earn(t, 101)
	id, err := s.refund(t, charge, "0.004")
	require.NoError(t, err)
	claim := s.claim(t, id, 0)
	holder, err := s.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	_, err = s.store.WithTx(holder).LockMerchant(t.Context(), s.merchant)
	require.NoError(t, err)
	swept, claimed := make(chan error, 1), make(chan error, 1)
	go func() { _, err := s.payouts().ReservePayout(t.Context(), s.sweep()); swept <- err }()
	go func() {
		in := payouts.ReserveClaim{PayoutID: secret.NewID("po_"), ClaimID: claim, Dust: 14_000_000, Now: start}
		_, err := s.payouts().ReserveClaim(t.Context(), in)
		claimed <- err
	}()
	pgtest.AwaitBlocked(t, s.store, holder, 2)
	require.NoError(t, s.store.WithTx(holder).HoldPayouts(t.Context(), db.HoldPayoutsParams{MerchantID: s.merchant, Until: start.Add(24 * time.Hour)}))
	require.NoError(t, holder.Commit(t.Context()))
	require.Equal(t, refusals.Held, reason(t, <-swept))
	require.Equal(t, refusals.Waits, reason(t, <-claimed))
	require.Equal(t, string(refund.ForHold), *s.claimRow(t, claim).WaitsFor)
}
