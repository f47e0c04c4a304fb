package activities_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

func (s *shop) payouts() *payouts.Handler {
	return &payouts.Handler{
		Store: s.store, Secret: s.box, Witness: witnesstest.Opened(s.store, walletID), Clock: func() time.Time { return start }, Finished: func(payout.Status) {},
	}
}

func TestDustIsNotReserved(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	id := s.earn(t, 100)
	for range 200 {
		s.pay(t, id, 13_999_999, 100)
	}
	s.mine(t, 111)
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/100, reserved.Gross, "what costs more than it brings stays behind and blocks nothing")
	_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: mustPayout(t, s)})
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(), "UPDATE received_payments SET amount = 1")
	require.NoError(t, err)
	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.Equal(t, refusals.TooSmall, reason(t, err))
}

func mustPayout(t *testing.T, s *shop) string {
	t.Helper()
	rows, err := s.store.ListPayouts(t.Context(), db.ListPayoutsParams{MerchantID: s.merchant, Limit: 1})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	return rows[0].ID
}

func (s *shop) payTo(t *testing.T) {
	t.Helper()
	s.payToAddress(t, "address")
}

func (s *shop) payToAddress(t *testing.T, address string) {
	t.Helper()
	sealed, err := s.box.Seal([]byte(address), secret.AD{Table: "merchants", Column: "payout_address", ID: s.merchant})
	require.NoError(t, err)
	masked := "masked"
	_, err = s.store.SetPayoutAddress(t.Context(), db.SetPayoutAddressParams{Sealed: sealed, Masked: &masked, MerchantID: s.merchant})
	require.NoError(t, err)
}

// earn makes a confirmed charge whose payment lies at a height.
func (s *shop) earn(t *testing.T, height int64) string {
	t.Helper()
	in := s.request()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/100, height)
	s.mine(t, height+10)
	_, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: in.ChargeID, Now: start.Add(time.Minute)})
	require.NoError(t, err)
	return in.ChargeID
}

func (s *shop) sweep() payouts.ReservePayout {
	return payouts.ReservePayout{PayoutID: secret.NewID("po_"), MerchantID: s.merchant, Dust: 14_000_000, Now: start}
}

func TestCheckSweepRefusals(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	a, in := s.payouts(), payouts.CheckSweep{MerchantID: s.merchant}
	require.Equal(t, refusals.NoPayout, reason(t, a.CheckSweep(t.Context(), in)))
	s.payTo(t)
	require.Equal(t, refusals.NoUnpaid, reason(t, a.CheckSweep(t.Context(), in)))
	s.earn(t, 100)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE chains SET chain_height = 109")
	require.NoError(t, err)
	require.Equal(t, refusals.Locked, reason(t, a.CheckSweep(t.Context(), in)))
	s.mine(t, 110)
	require.NoError(t, a.CheckSweep(t.Context(), in))
	reserved, err := a.ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.EqualValues(t, 1, reserved.Charges)
	require.Equal(t, refusals.NoUnpaid, reason(t, a.CheckSweep(t.Context(), in)))
}

func TestReserveTwiceIsOneReservation(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	s.earn(t, 100)
	s.earn(t, 101)
	in := s.sweep()
	first, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/50, first.Gross)
	s.earn(t, 102)
	second, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, first, second)
	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.Equal(t, refusals.InProgress, reason(t, err))
}

// A worker that hangs may reserve after its run has ended. The wakeup starts the next run.
func TestAReservedPayoutIsWoken(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"sweep", "claim"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := open(t, 5)
			s.payTo(t)
			charge, sweep := s.earn(t, 100), s.sweep()
			reserve := func() error {
				_, err := s.payouts().ReservePayout(t.Context(), sweep)
				return err
			}
			if kind == "claim" {
				id, err := s.refund(t, charge, "0.004")
				require.NoError(t, err)
				claim := payouts.ReserveClaim{PayoutID: sweep.PayoutID, ClaimID: s.claim(t, id, 0), Dust: 14_000_000, Now: start}
				reserve = func() error {
					_, err := s.payouts().ReserveClaim(t.Context(), claim)
					return err
				}
			}
			require.NoError(t, reserve())
			require.NoError(t, reserve())
			require.Equal(t, []string{sweep.PayoutID}, s.woken(t, "payouts"))
		})
	}
}

// A run that Temporal gave up may still be writing when the next one begins.
func TestReserveAtTheSameTimeIsOneReservation(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	s.earn(t, 100)
	in := s.sweep()
	want := payouts.Reserved{WalletID: walletID, Gross: money.OneXMR / 100, Charges: 1}
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			got, err := s.payouts().ReservePayout(t.Context(), in)
			assert.NoError(t, err)
			assert.Equal(t, want, got)
		})
	}
	wg.Wait()
}

func TestSweepsAtTheSameTimeNeverShareACharge(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	s.earn(t, 100)
	var won sync.Map
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			in := s.sweep()
			if _, err := s.payouts().ReservePayout(t.Context(), in); err == nil {
				won.Store(in.PayoutID, true)
			}
		})
	}
	wg.Wait()
	n := 0
	won.Range(func(_, _ any) bool { n++; return true })
	require.Equal(t, 1, n)
}

func TestFailedPayoutReleasesItsChargesOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	id := s.earn(t, 100)
	in := s.sweep()
	_, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	c, err := s.store.Charge(t.Context(), id, start)
	require.NoError(t, err)
	require.Equal(t, in.PayoutID, *c.Charge.PayoutID)
	for range 2 {
		released, err := s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID, Reason: "refused"})
		require.NoError(t, err)
		require.False(t, released.AlreadyBroadcast)
	}
	c, err = s.store.Charge(t.Context(), id, start)
	require.NoError(t, err)
	require.Nil(t, c.Charge.PayoutID)
	again, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.EqualValues(t, 1, again.Charges)
}

func TestUnbackedChargesAreLeftOut(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	s.earn(t, 100)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE charges SET unbacked = true")
	require.NoError(t, err)
	require.Equal(t, refusals.NoUnpaid, reason(t, s.payouts().CheckSweep(t.Context(), payouts.CheckSweep{MerchantID: s.merchant})))
	_, err = s.payouts().ReservePayout(t.Context(), s.sweep())
	require.Equal(t, refusals.TooSmall, reason(t, err))
}

// No signal reports money that leaves the chain while it is being paid out. When the
// payout is given up, its charge is advanced again.
func TestChargeOfAGivenUpPayoutThatLostItsMoneyIsUnbacked(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	s.payTo(t)
	s.earn(t, 100)
	lost := s.earn(t, 101)
	in := s.sweep()
	_, err := s.payouts().ReservePayout(t.Context(), in)
	require.NoError(t, err)
	_, err = s.store.Pool().Exec(t.Context(),
		"UPDATE received_payments SET vanished_at = now(), height = NULL, mature_height = NULL, mature = false WHERE charge_id = $1", lost)
	require.NoError(t, err)
	look := incoming.AdvanceCharge{ChargeID: lost, Now: start.Add(time.Hour)}
	state, err := s.activity().AdvanceCharge(t.Context(), look)
	require.NoError(t, err)
	require.False(t, state.Unbacked)
	for range 2 {
		_, err = s.payouts().FailPayout(t.Context(), payouts.FailPayout{PayoutID: in.PayoutID})
		require.NoError(t, err)
	}
	require.Equal(t, 1, s.number(t, "SELECT count(*) FROM wakeups WHERE version > 0 AND kind = 'charges' AND id = $1", lost))
	state, err = s.activity().AdvanceCharge(t.Context(), look)
	require.NoError(t, err)
	require.True(t, state.Unbacked)
	require.Equal(t, alert.ChargeUnbacked, s.openAlerts(t)[0].Kind)
}

// TestSweepWaitsForTheHold tries a sweep before and at the end of the hold that
// a changed address brings, and one for which the address is changed between
// the check and the reservation.
func TestSweepWaitsForTheHold(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	s.earn(t, 100)
	s.mine(t, 111)
	a, check := s.payouts(), payouts.CheckSweep{MerchantID: s.merchant}
	require.NoError(t, a.CheckSweep(t.Context(), check))
	hold := func(until time.Time) {
		require.NoError(t, s.store.HoldPayouts(t.Context(), db.HoldPayoutsParams{MerchantID: s.merchant, Until: until}))
	}
	hold(start.Add(time.Millisecond))
	hold(start) // an earlier end takes nothing back
	err := a.CheckSweep(t.Context(), check)
	require.Equal(t, refusals.Held, reason(t, err))
	require.ErrorContains(t, err, start.Add(time.Millisecond).UTC().Format("2006-01-02T15:04:05.000Z"), "the end is told")
	for range 2 {
		_, err = a.ReservePayout(t.Context(), s.sweep())
		require.Equal(t, refusals.Held, reason(t, err))
	}
	in := s.sweep()
	in.Now = start.Add(time.Millisecond)
	first, err := a.ReservePayout(t.Context(), in)
	require.NoError(t, err, "the hold is over")
	hold(in.Now.Add(time.Hour))
	again, err := a.ReservePayout(t.Context(), in)
	require.NoError(t, err, "a payout that has begun goes on to where it began to")
	require.Equal(t, first, again)
}
