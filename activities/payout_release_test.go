package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
)

// reserved makes a payout of one charge that is being built.
func (s *shop) reserved(t *testing.T) string {
	t.Helper()
	s.payTo(t)
	s.earn(t, 100)
	in := s.sweep()
	_, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	return in.PayoutID
}

func TestPayoutIsNotReleasedBeforeItIsCertain(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id := s.reserved(t)
	a := s.payouts()
	(&node{}).daemon(t, a)
	refused := func(now time.Time) string {
		err := a.ReleasePayout(t.Context(), activities.ReleasePayout{PayoutID: id, Actor: "cli:alice", Now: now})
		require.Equal(t, activities.RefusedRelease, reason(t, err))
		return err.Error()
	}
	require.Contains(t, refused(start), "never sent")
	s.built(t, id)
	require.Contains(t, refused(start), "never sent")
	s.exec(t, "UPDATE payouts SET status = 'broadcast', sent_at = now()")
	require.Contains(t, refused(start), "has not refused it")
	require.NoError(t, s.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: activities.AlertPayoutStuck, Subject: id, Detail: "refused"}))
	s.exec(t, "UPDATE alerts SET opened_at = $1", start)
	require.Contains(t, refused(start.Add(20*time.Minute-time.Millisecond)), "it can be released from 2026-11-21T09:50:00Z on")
	s.exec(t, "UPDATE payouts SET status = 'confirmed'")
	require.Contains(t, refused(start.Add(time.Hour)), "it is confirmed")
	row, err := s.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "confirmed", row.Status)
	err = s.payouts().ReleasePayout(t.Context(), activities.ReleasePayout{PayoutID: "po_none", Now: start})
	require.Equal(t, activities.RefusedRelease, reason(t, err))
}

func TestFindPayoutTellsTheReservation(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id := s.reserved(t)
	found, err := s.payouts().FindPayout(t.Context(), activities.PayoutTask{PayoutID: id})
	require.NoError(t, err)
	require.Equal(t, payout.Building, found.Status)
	require.Equal(t, walletID, found.Reserved.WalletID)
	require.EqualValues(t, 1, found.Reserved.Charges)
	require.NoError(t, s.payouts().CheckSweep(t.Context(), activities.CheckSweep{MerchantID: s.merchant, PayoutID: id}),
		"whoever asks for the same payout again is not told that there is nothing to pay out")
	s.exec(t, "UPDATE payouts SET status = 'failed'")
	err = s.payouts().CheckSweep(t.Context(), activities.CheckSweep{MerchantID: s.merchant, PayoutID: id})
	require.Equal(t, activities.RefusedBroadcast, reason(t, err))
	found, err = s.payouts().FindPayout(t.Context(), activities.PayoutTask{PayoutID: "po_none"})
	require.NoError(t, err)
	require.Empty(t, found.Status)
}
