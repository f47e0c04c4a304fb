package activities_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
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
		err := a.ReleasePayout(t.Context(), payouts.ReleasePayout{PayoutID: id, Actor: "cli:alice", Now: now})
		require.Equal(t, refusals.Release, reason(t, err))
		return err.Error()
	}
	require.Contains(t, refused(start), "never sent")
	s.built(t, id)
	require.Contains(t, refused(start), "never sent")
	s.exec(t, "UPDATE payouts SET status = 'broadcast', sent_at = now()")
	require.Contains(t, refused(start), "has not refused it")
	require.NoError(t, s.store.OpenAlert(t.Context(), db.OpenAlertParams{Kind: alert.PayoutStuck, Subject: id, Detail: "refused"}))
	s.exec(t, "UPDATE alerts SET opened_at = $1", start)
	require.Contains(t, refused(start.Add(20*time.Minute-time.Millisecond)), "it can be released from 2026-11-21T09:50:00Z on")
	s.exec(t, "UPDATE payouts SET status = 'confirmed'")
	require.Contains(t, refused(start.Add(time.Hour)), "it is confirmed")
	row, err := s.store.GetPayout(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "confirmed", row.Status)
	err = s.payouts().ReleasePayout(t.Context(), payouts.ReleasePayout{PayoutID: "po_none", Now: start})
	require.Equal(t, refusals.Release, reason(t, err))
}

func TestFindPayoutReturnsTheReservation(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	id := s.reserved(t)
	found, err := s.payouts().FindPayout(t.Context(), payouts.PayoutTask{PayoutID: id})
	require.NoError(t, err)
	require.Equal(t, payout.Building, found.Status)
	require.Equal(t, walletID, found.Reserved.WalletID)
	require.EqualValues(t, 1, found.Reserved.Charges)
	require.NoError(t, s.payouts().CheckSweep(t.Context(), payouts.CheckSweep{MerchantID: s.merchant, PayoutID: id}),
		"whoever asks for the same payout again is not told that there is nothing to pay out")
	s.exec(t, "UPDATE payouts SET status = 'failed'")
	err = s.payouts().CheckSweep(t.Context(), payouts.CheckSweep{MerchantID: s.merchant, PayoutID: id})
	require.Equal(t, refusals.Broadcast, reason(t, err))
	found, err = s.payouts().FindPayout(t.Context(), payouts.PayoutTask{PayoutID: "po_none"})
	require.NoError(t, err)
	require.Empty(t, found.Status)
}

// TestPayoutWhoseInputsAreSpentElsewhereIsAbandoned gives up a payout that another
// transaction has made impossible, before and after it was sent. This is not possible
// before that transaction is ten blocks deep. Then the charges are free, the bytes are
// stored apart, and a run that still tries to relay them is refused.
func TestPayoutWhoseInputsAreSpentElsewhereIsAbandoned(t *testing.T) {
	t.Parallel()
	for name, broadcast := range map[string]bool{"before it was sent": false, "after it was sent": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, n := open(t, 5), &node{spent: true, refuses: true, height: 120}
			a := s.payouts()
			n.daemon(t, a)
			id := s.reserved(t)
			s.built(t, id)
			if broadcast {
				s.exec(t, "UPDATE payouts SET status = 'broadcast', sent_at = now()")
				s.exec(t, "UPDATE outgoing_transactions SET state = 'sent', sent_at = now()")
				require.NoError(t, step(t, a, a.CheckPayout, id, nil))
			} else {
				require.Error(t, step(t, a, a.RelayPayout, id, nil))
			}
			release := payouts.ReleasePayout{PayoutID: id, Actor: "cli:ann", Now: start}
			early := func(text string) {
				t.Helper()
				err := a.ReleasePayout(t.Context(), release)
				require.Equal(t, refusals.Release, reason(t, err))
				require.ErrorContains(t, err, text)
			}
			early("ask again in 10 blocks")
			n.set(func() { n.height = 129 })
			early("ask again in 1 blocks")
			n.set(func() { n.height, n.spent = 130, false })
			early("") // a reorganization freed the inputs: the count restarts
			if broadcast {
				require.NoError(t, step(t, a, a.CheckPayout, id, nil))
			} else {
				require.Error(t, step(t, a, a.RelayPayout, id, nil))
			}
			n.set(func() { n.spent = true })
			early("ask again in 10 blocks")
			n.set(func() { n.height = 140 })
			for range 2 {
				require.NoError(t, a.ReleasePayout(t.Context(), release))
			}
			require.Equal(t, payout.Failed, s.payoutStatus(t, id))
			require.Empty(t, s.openAlerts(t))
			audit, err := s.store.ListAudit(t.Context(), db.ListAuditParams{Before: 1 << 60, MaxRows: 10})
			require.NoError(t, err)
			require.Len(t, audit, 1)
			require.Equal(t, "cli:ann payout.release "+id, audit[0].Actor+" "+audit[0].Action+" "+audit[0].Subject)
			var kept int
			require.NoError(t, s.store.Pool().QueryRow(t.Context(), `SELECT count(*) FROM outgoing_transactions
				WHERE payout_id = $1 AND state = 'abandoned' AND raw IS NOT NULL AND abandoned_by = 'cli:ann'`, id).Scan(&kept))
			require.Equal(t, 1, kept)
			again := s.sweep()
			again.PayoutID = "po_" + strings.Repeat("c", 24)
			_, err = a.ReservePayout(t.Context(), again)
			require.NoError(t, err, "the charges are free")

			relayed := n.relayed
			err = step(t, a, a.RelayPayout, id, nil)
			require.True(t, isRefusal(err), "%v", err)
			released, err := a.FailPayout(t.Context(), payouts.FailPayout{PayoutID: id, Reason: "late"})
			require.NoError(t, err)
			require.False(t, released.AlreadyBroadcast)
			var depth payouts.Depth
			require.NoError(t, step(t, a, a.CheckPayout, id, &depth))
			require.True(t, depth.Gone, "whoever watches it stops")
			require.Equal(t, relayed, n.relayed)
		})
	}
}
