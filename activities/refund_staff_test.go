package activities_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
)

// employ gives a new person a role in the shop, and returns their account.
func (s *shop) employ(t *testing.T, role permission.Role, aDay money.Piconero) string {
	t.Helper()
	id := secret.NewMerchantID()
	_, err := s.store.InsertMerchant(t.Context(), db.InsertMerchantParams{
		MerchantID: id, EmailSealed: []byte{1}, EmailIndex: []byte(id), BusinessName: "Person", PasswordHash: "x", LiveWalletID: walletID, SandboxWalletID: "sandbox-1",
	})
	require.NoError(t, err)
	_, err = s.store.PutStaff(t.Context(), db.PutStaffParams{MerchantID: s.merchant, PersonID: id, Role: string(role), RefundsADay: aDay, CreatedAt: start})
	require.NoError(t, err)
	return id
}

func (s *shop) refundBy(person, chargeID, xmr string, at time.Time) chargestore.NewRefund {
	return chargestore.NewRefund{
		RefundID: secret.NewID("rf_"), MerchantID: s.merchant, ChargeID: chargeID, TokenHash: []byte{1}, MadeBy: person, Now: at,
		Ask: refund.Ask{Variant: refund.Custom, Amount: money.MustDecimal(xmr), Currency: money.XMR}, ExpiresAt: at.Add(refund.DefaultLife),
	}
}

func (s *shop) isAutomatic(t *testing.T, id string) bool {
	t.Helper()
	row, err := s.store.GetRefund(t.Context(), id)
	require.NoError(t, err)
	return row.Automatic
}

// TestSupportRefundsUpToASumADay: of many concurrent refunds of several charges, only as
// many need no approval as the daily sum has room for. The rest wait for an approval.
func TestSupportRefundsUpToASumADay(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	person := s.employ(t, permission.Support, money.OneXMR/100) // two and a half of those below
	var all []chargestore.NewRefund
	for i := range 6 {
		all = append(all, s.refundBy(person, s.earn(t, int64(100+i)), "0.004", start))
	}
	var running sync.WaitGroup
	errs := make([]error, len(all))
	for i := range all {
		running.Go(func() { errs[i] = s.createRefund(t.Context(), all[i]) })
	}
	running.Wait()
	automatic := 0
	for i, in := range all {
		require.NoError(t, errs[i])
		require.NoError(t, s.createRefund(t.Context(), in), "again")
		if s.isAutomatic(t, in.RefundID) {
			automatic++
		}
	}
	require.Equal(t, 2, automatic)

	one := s.refundBy(person, all[0].ChargeID, "0.002", start)
	require.NoError(t, s.createRefund(t.Context(), one))
	require.True(t, s.isAutomatic(t, one.RefundID), "to the piconero")
	next := s.refundBy(person, all[1].ChargeID, "0.002", permission.DayOf(start).Add(24*time.Hour-time.Millisecond))
	require.NoError(t, s.createRefund(t.Context(), next))
	require.False(t, s.isAutomatic(t, next.RefundID), "the same day")
	later := s.refundBy(person, all[1].ChargeID, "0.002", permission.DayOf(start).Add(24*time.Hour))
	require.NoError(t, s.createRefund(t.Context(), later))
	require.True(t, s.isAutomatic(t, later.RefundID), "another day")
}

// TestRefundsOfStaffGoByTheirRole whatever the merchant lets keys do.
func TestRefundsOfStaffGoByTheirRole(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE merchants SET refund_auto_up_to = $1", int64(money.OneXMR))
	require.NoError(t, err)
	charge := s.earn(t, 100)
	for _, role := range []permission.Role{permission.Owner, permission.Support} {
		in := s.refundBy(s.employ(t, role, 0), charge, "0.001", start)
		require.NoError(t, s.createRefund(t.Context(), in))
		require.False(t, s.isAutomatic(t, in.RefundID), role)
	}
	in := s.refundBy(secret.NewMerchantID(), charge, "0.001", start)
	require.Equal(t, refusals.Refund, reason(t, s.createRefund(t.Context(), in)), "nobody of the staff")
	key := s.refundBy("", charge, "0.001", start)
	key.Leave = refund.WithinSettings
	require.NoError(t, s.createRefund(t.Context(), key))
	require.True(t, s.isAutomatic(t, key.RefundID))
	require.False(t, slices.ContainsFunc(permission.Roles(), func(r permission.Role) bool { return permission.MayRefund(r, 1, money.Piconero(1<<62), 1<<62) }), "no overflow")
}

// TestRefundsOfStaffWaitWithTheHold: after a limit was raised, no refund goes without
// approval, no matter who made it and when. An end of all access ends the access of links
// too.
func TestRefundsOfStaffWaitWithTheHold(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	person, charge := s.employ(t, permission.Support, money.OneXMR), s.earn(t, 100)
	before, kept := s.refundBy(person, charge, "0.001", start), s.refundBy(person, charge, "0.001", start)
	require.NoError(t, s.createRefund(t.Context(), before))
	require.NoError(t, s.createRefund(t.Context(), kept))
	require.True(t, s.isAutomatic(t, before.RefundID))
	s.exec(t, "UPDATE merchants SET refund_hold_until = '"+start.Add(time.Hour).Format(time.RFC3339)+"' WHERE merchant_id = '"+s.merchant+"'")
	during := s.refundBy(person, charge, "0.001", start)
	require.NoError(t, s.createRefund(t.Context(), during))
	require.False(t, s.isAutomatic(t, during.RefundID))
	claimed, err := s.refunds().ClaimRefund(t.Context(), payouts.ClaimRefund{RefundID: before.RefundID, ClaimID: secret.NewID("rc_"), Address: buyer, Now: start})
	require.NoError(t, err)
	require.Equal(t, string(refund.AwaitingApproval), s.claimRow(t, claimed.ClaimID).Status)

	s.exec(t, "UPDATE merchants SET refund_hold_until = NULL WHERE merchant_id = '"+s.merchant+"'")
	require.NoError(t, s.store.EndGrants(t.Context(), db.EndGrantsParams{MerchantID: s.merchant, Now: start}))
	require.False(t, s.isAutomatic(t, kept.RefundID))
}

// TestRefundsOfTheMerchantAndKeysStayWithinADay: ten of the largest refunds a day go
// without approval, of many concurrent ones, of several charges. The rest wait for an
// approval.
func TestRefundsOfTheMerchantAndKeysStayWithinADay(t *testing.T) {
	t.Parallel()
	s := open(t, 9)
	s.exec(t, "UPDATE merchants SET refund_auto_up_to = $1", int64(money.OneXMR/1000))
	charges := []string{s.earn(t, 100), s.earn(t, 101), s.earn(t, 102)}
	by := func(leave refund.Leave, charge, xmr string, at time.Time) chargestore.NewRefund {
		in := s.refundBy("", charge, xmr, at)
		in.Leave = leave
		return in
	}
	goes := func(leave refund.Leave, xmr string, at time.Time) bool {
		in := by(leave, charges[0], xmr, at)
		require.NoError(t, s.createRefund(t.Context(), in))
		return s.isAutomatic(t, in.RefundID)
	}
	require.False(t, goes(refund.NoLeave, "0.001", start))
	require.False(t, goes(refund.WithinSettings, "0.001000000001", start))
	asked := by(refund.AfterStepUp, charges[0], "0.001", start)
	require.Equal(t, refusals.StepUp, reason(t, s.createRefund(t.Context(), asked)))
	require.False(t, goes(refund.AfterStepUp, "0.001000000001", start), "it waits for an approval in any case")

	var running sync.WaitGroup
	all := make([]chargestore.NewRefund, 12)
	errs := make([]error, len(all))
	for i := range all {
		all[i] = by(refund.WithinSettings, charges[1+i%2], "0.001", start)
		running.Go(func() { errs[i] = s.createRefund(t.Context(), all[i]) })
	}
	running.Wait()
	automatic := 0
	for i, in := range all {
		require.NoError(t, errs[i])
		require.NoError(t, s.createRefund(t.Context(), in), "again")
		if s.isAutomatic(t, in.RefundID) {
			automatic++
		}
	}
	require.Equal(t, 10, automatic)
	require.False(t, goes(refund.AfterStepUp, "0.001", start), "the day is used up: no password is asked for")
	require.True(t, goes(refund.WithinSettings, "0.001", start.Add(24*time.Hour)), "another day")
}
