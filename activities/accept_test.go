package activities_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/chargestore"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
)

// half makes a charge of which half has come, at height 100.
func (s *shop) half(t *testing.T, in chargestore.New) string {
	t.Helper()
	s.create(t, in)
	s.pay(t, in.ChargeID, money.OneXMR/200, 100)
	return in.ChargeID
}

func (s *shop) advance(t *testing.T, id string, at time.Time) incoming.ChargeState {
	t.Helper()
	state, err := s.activity().AdvanceCharge(t.Context(), incoming.AdvanceCharge{ChargeID: id, Now: at})
	require.NoError(t, err)
	return state
}

// events returns the names of the events of a charge, in order.
func (s *shop) events(t *testing.T, id string) []string {
	t.Helper()
	rows, err := s.store.Pool().Query(t.Context(), "SELECT type FROM events WHERE resource_id = $1 ORDER BY id", id)
	require.NoError(t, err)
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}

func TestExpiredChargeIsTakenAsItIsOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	s.payTo(t)
	s.webhook(t, "https://shop.example/hook", charge.EventLateConfirmed)
	request := s.paymentRequest(t, true)
	id := s.half(t, s.requested(request))
	s.mine(t, 110)
	require.Equal(t, charge.Expired, s.advance(t, id, start.Add(time.Hour)).Status)
	at := start.Add(2 * time.Hour)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { require.NoError(t, s.accept(t, id, at)) })
	}
	wg.Wait()
	require.Len(t, s.advance(t, id, at).Deliveries, 1)
	require.Equal(t, []string{id}, s.woken(t, "charges"), "its run looks at it")
	s.pay(t, id, money.OneXMR/400, 120)
	s.mine(t, 130)
	s.advance(t, id, start.Add(3*time.Hour))

	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventExpired, charge.EventLateConfirmed}, s.events(t, id))
	books := s.ledger(t)
	require.Len(t, books, 1)
	require.Equal(t, money.OneXMR/200, books[0].AmountReceivedXMR)
	require.Equal(t, money.OneXMR/100, books[0].AmountXMR)
	require.EqualValues(t, 1, s.stored(t, request).CompletedPayments)
	c := mustCharge(t, s, id)
	require.True(t, c.Late)
	require.Equal(t, at, c.UnderpaidAcceptedAt.UTC())
	require.False(t, c.Unbacked)
	reserved, err := s.payouts().ReservePayout(t.Context(), s.sweep())
	require.NoError(t, err)
	require.Equal(t, money.OneXMR/200+money.OneXMR/400, reserved.Gross, "swept like any other, with what came later")
}

func TestPendingChargeIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	id := s.half(t, s.request())
	s.mine(t, 109)
	at := start.Add(time.Minute)
	err := s.accept(t, id, at)
	require.Equal(t, refusals.Accept, reason(t, err), "the payment has 9 confirmations")
	require.Equal(t, charge.Pending, mustCharge(t, s, id).Status)
	s.mine(t, 110)
	require.NoError(t, s.accept(t, id, at))
	require.Equal(t, charge.Confirmed, mustCharge(t, s, id).Status)
	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}, s.events(t, id))
	require.Equal(t, charge.Confirmed, s.advance(t, id, start.Add(5*time.Hour)).Status, "the timer that comes later finds it confirmed")
	require.False(t, mustCharge(t, s, id).Late)
}

func TestNothingIsTakenTwice(t *testing.T) {
	t.Parallel()
	s := open(t, 2)
	err := s.accept(t, "ch_0123456789abcdef01234567", start)
	require.Equal(t, refusals.Missing, reason(t, err))
	full := s.earn(t, 100)
	err = s.accept(t, full, start)
	require.Equal(t, refusals.Accept, reason(t, err))
	require.Equal(t, []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}, s.events(t, full))
}

// TestExpiryAndAcceptanceAtOnce lets the timer and the merchant's acceptance meet: in
// either order, the charge ends confirmed, with one confirmation.
func TestExpiryAndAcceptanceAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, 10)
	for range 10 {
		id := s.half(t, s.request())
		s.mine(t, 110)
		at := start.Add(time.Hour)
		var wg sync.WaitGroup
		wg.Go(func() { s.advance(t, id, at) })
		wg.Go(func() {
			err := s.accept(t, id, at)
			require.NoError(t, err)
		})
		wg.Wait()
		c := mustCharge(t, s, id)
		require.Equal(t, charge.Confirmed, c.Status)
		confirmed := []string{charge.EventCreated, charge.EventPending, charge.EventConfirmed}
		if c.Late {
			confirmed = []string{charge.EventCreated, charge.EventPending, charge.EventExpired, charge.EventLateConfirmed}
		}
		require.Equal(t, confirmed, s.events(t, id))
	}
	require.Len(t, s.ledger(t), 10)
}

func TestSuspendedMerchantsGetNoCharges(t *testing.T) {
	t.Parallel()
	s := open(t, 5)
	open := s.request()
	s.create(t, open)
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE merchants SET suspended_at = now()")
	require.NoError(t, err)
	for _, source := range []charge.Source{charge.FromAPI, charge.FromButton} {
		in := s.request()
		in.Source = source
		_, err := s.charges.Create(t.Context(), in)
		require.Equal(t, refusals.Suspended, reason(t, err))
	}
	again, err := s.charges.Create(t.Context(), open)
	require.NoError(t, err, "the second run of one that was made before")
	require.Equal(t, charge.Pending, again.Status)
	s.pay(t, open.ChargeID, money.OneXMR/100, 100)
	s.mine(t, 110)
	require.Equal(t, charge.Confirmed, s.advance(t, open.ChargeID, start.Add(time.Minute)).Status, "open charges go on")
}

func TestConfirmationsByValue(t *testing.T) {
	t.Parallel()
	s := open(t, 20)
	require.NoError(t, s.charges.ConfirmationSteps.UnmarshalText([]byte("20:2,200:5,*:10")))
	ask := func(amount string, currency money.Currency) int32 {
		in := s.request()
		in.Amount, in.Currency = money.MustDecimal(amount), currency
		return s.create(t, in).ConfirmationsRequired
	}
	require.EqualValues(t, 2, ask("20", money.USD))
	require.EqualValues(t, 5, ask("20.01", money.EUR))
	require.EqualValues(t, 10, ask("200.01", money.USD))
	require.EqualValues(t, 2, ask("0.13", money.XMR), "19.50 USD at 150")
	require.EqualValues(t, 5, ask("0.14", money.XMR), "21 USD at 150")
	s.charges.Prices = priced{err: context.DeadlineExceeded}
	require.EqualValues(t, 10, ask("0.01", money.XMR), "without a price the value is not known")
	s.charges.Prices = priced{}
	_, err := s.store.Pool().Exec(t.Context(), "UPDATE merchants SET confirmations_required = 3, tolerance_percent = 50")
	require.NoError(t, err)
	require.EqualValues(t, 3, ask("10000", money.USD), "the merchant's own")
	id := s.half(t, s.request())
	s.mine(t, 103)
	require.Equal(t, charge.Confirmed, s.advance(t, id, start.Add(time.Minute)).Status, "within the merchant's own tolerance")
}
