package activities_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/charges"
	"github.com/durapay/durapay/activities/deliveries"
	"github.com/durapay/durapay/activities/testclocks"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/testclock"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/internal/witness/witnesstest"
)

// frozen is the time of the clocks of these tests, far from the machine's.
var frozen = time.Date(2031, 5, 1, 12, 0, 0, 0, time.UTC)

// clocked is a shop with a test clock, and whom its runs would be told of.
type clocked struct {
	*shop
	clock  string
	clocks *testclocks.Handler
	told   []string
}

func openClocked(t *testing.T) *clocked {
	t.Helper()
	s := &clocked{shop: open(t, 0), clock: secret.NewID("clock_")}
	witnesstest.Open(t, s.store, "sandbox-1")
	require.NoError(t, s.store.PublishAddresses(t.Context(), db.PublishAddressesParams{
		WalletID: "sandbox-1", Indices: []int32{1, 2, 3}, Addresses: []string{"sandbox 1", "sandbox 2", "sandbox 3"},
	}))
	_, err := s.store.InsertTestClock(t.Context(), db.InsertTestClockParams{
		ID: s.clock, MerchantID: s.merchant, FrozenTime: frozen, CreatedAt: time.Now(), DeletesAfter: time.Now().Add(testclock.Life),
	})
	require.NoError(t, err)
	tell := func(_ context.Context, id string) error {
		s.told = append(s.told, id)
		return nil
	}
	s.clocks = &testclocks.Handler{Store: s.store, NotifyCharge: tell, NotifyDelivery: tell}
	return s
}

// bound is the request for a charge that lives by the clock.
func (s *clocked) bound() charges.CreateCharge {
	in := s.request()
	in.Mode, in.TestClock = config.Sandbox, s.clock
	return in
}

func (s *clocked) look(t *testing.T, id string) charges.ChargeState {
	t.Helper()
	state, err := s.charges.AdvanceCharge(t.Context(), charges.AdvanceCharge{ChargeID: id, Now: time.Now()})
	require.NoError(t, err)
	return state
}

func (s *clocked) move(t *testing.T, to time.Time) {
	t.Helper()
	in := testclocks.BeginAdvance{ClockID: s.clock, MerchantID: s.merchant, To: to, Key: "k"}
	require.NoError(t, s.clocks.BeginAdvance(t.Context(), in))
	require.NoError(t, s.clocks.BeginAdvance(t.Context(), in), "the same request again")
}

// due are those that an advance waits for.
func (s *clocked) due(t *testing.T) (int, []string) {
	t.Helper()
	s.told = nil
	n, err := s.clocks.NotifyBound(t.Context(), s.clock)
	require.NoError(t, err)
	return n, s.told
}

func (s *clocked) row(t *testing.T) db.TestClock {
	t.Helper()
	row, err := s.store.GetTestClock(t.Context(), db.GetTestClockParams{ID: s.clock, MerchantID: s.merchant, Now: time.Now()})
	require.NoError(t, err)
	return row
}

func TestAChargeLivesByItsTestClock(t *testing.T) {
	t.Parallel()
	s := openClocked(t)
	in := s.bound()
	state, err := s.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, frozen.Add(time.Hour), state.ExpiresAt.UTC())
	require.Equal(t, charge.Pending, s.look(t, in.ChargeID).Status)
	items, err := overdue.Find(t.Context(), s.store.Queries, overdue.Search{Now: frozen.Add(48 * time.Hour), MaxRows: 10})
	require.NoError(t, err)
	require.Empty(t, items, "no other clock makes it overdue")

	s.move(t, frozen.Add(59*time.Minute))
	n, _ := s.due(t)
	require.Zero(t, n)
	require.NoError(t, s.clocks.EndAdvance(t.Context(), testclocks.EndAdvance{ClockID: s.clock}))

	s.webhook(t, "http://192.0.2.1", charge.EventExpired)
	s.move(t, frozen.Add(3*time.Hour))
	n, told := s.due(t)
	require.Equal(t, 1, n)
	require.Equal(t, []string{in.ChargeID}, told)
	state = s.look(t, in.ChargeID)
	require.Equal(t, charge.Expired, state.Status)
	require.Len(t, state.Deliveries, 1)
	d, err := s.store.GetDeliveryForSending(t.Context(), state.Deliveries[0])
	require.NoError(t, err)
	require.Equal(t, frozen.Add(time.Hour), d.NextAttemptAt.UTC(), "it expired on the way, when it was due")
	require.WithinDuration(t, time.Now(), d.CreatedAt, time.Minute, "the log and what receivers are told are in real time")
}

func TestAttemptsAreMadeAgainByTheTestClock(t *testing.T) {
	t.Parallel()
	s := openClocked(t)
	url, got := receiver(t, 500, 500, 500)
	s.webhook(t, url, charge.EventCreated)
	state, err := s.charges.CreateCharge(t.Context(), s.bound())
	require.NoError(t, err)
	id, hooks := state.Deliveries[0], s.webhooks(loopback)
	next := func(n int) time.Time {
		require.Equal(t, webhook.Pending, attempt(t, hooks, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: n}))
		d, err := s.store.GetDeliveryForSending(t.Context(), id)
		require.NoError(t, err)
		return d.NextAttemptAt.UTC()
	}
	require.Equal(t, frozen.Add(5*time.Second), next(1))
	n, _ := s.due(t)
	require.Zero(t, n)
	s.move(t, frozen.Add(time.Minute))
	n, told := s.due(t)
	require.Equal(t, 1, n)
	require.Equal(t, []string{id}, told)
	require.Equal(t, frozen.Add(15*time.Second), next(2), "the pause counts from when the attempt was due")
	require.Equal(t, webhook.Failed, attempt(t, hooks, deliveries.AttemptDelivery{Receiver: webhook.Merchant, ID: id, Attempt: 3}))
	require.Len(t, *got, 3)
	n, _ = s.due(t)
	require.Zero(t, n)
}

func TestADeletedTestClockEndsWhatWaitsByIt(t *testing.T) {
	t.Parallel()
	s := openClocked(t)
	in := s.bound()
	_, err := s.charges.CreateCharge(t.Context(), in)
	require.NoError(t, err)
	gone := testclocks.DeleteTestClock{ClockID: s.clock, MerchantID: s.merchant, Now: time.Now()}
	require.NoError(t, s.clocks.DeleteTestClock(t.Context(), gone))
	require.True(t, refusals.Is(s.clocks.DeleteTestClock(t.Context(), gone), refusals.Missing))
	n, _ := s.due(t)
	require.Equal(t, 1, n)
	require.Equal(t, charge.Expired, s.look(t, in.ChargeID).Status)
	n, _ = s.due(t)
	require.Zero(t, n)
	_, err = s.charges.CreateCharge(t.Context(), s.bound())
	require.True(t, refusals.Is(err, refusals.Missing), "%v", err)
}

func TestAnAdvanceShowsItsTimeWhenItIsOver(t *testing.T) {
	t.Parallel()
	s := openClocked(t)
	s.move(t, frozen.Add(time.Hour))
	require.Equal(t, "advancing", s.row(t).Status)
	require.Equal(t, frozen, s.row(t).FrozenTime.UTC())
	err := s.clocks.BeginAdvance(t.Context(), testclocks.BeginAdvance{ClockID: s.clock, MerchantID: s.merchant, To: frozen.Add(2 * time.Hour)})
	require.True(t, refusals.Is(err, refusals.Clock), "%v", err)
	for range 2 {
		require.NoError(t, s.clocks.EndAdvance(t.Context(), testclocks.EndAdvance{ClockID: s.clock}))
	}
	require.Equal(t, "ready", s.row(t).Status)
	require.Equal(t, frozen.Add(time.Hour), s.row(t).FrozenTime.UTC())
	err = s.clocks.BeginAdvance(t.Context(), testclocks.BeginAdvance{ClockID: s.clock, MerchantID: secret.NewMerchantID(), To: frozen.Add(2 * time.Hour)})
	require.True(t, refusals.Is(err, refusals.Missing), "%v", err)
}

// Charges of a clock go by its own end, whatever time it showed.
func TestChargesOfATestClockAreKeptWhileItIs(t *testing.T) {
	t.Parallel()
	s := openClocked(t)
	for _, shown := range []time.Time{frozen, time.Date(2001, 5, 1, 12, 0, 0, 0, time.UTC)} {
		s.exec(t, "UPDATE test_clocks SET frozen_time = $2, deleted_at = NULL WHERE id = $1", s.clock, shown)
		in := s.bound()
		in.Metadata = `{"a":1,"buyer_info":{"email":"hidden"}}`
		_, err := s.charges.CreateCharge(t.Context(), in)
		require.NoError(t, err)
		s.exec(t, "UPDATE charges SET has_buyer_info = true WHERE id = $1", in.ChargeID)
		require.NoError(t, s.clocks.DeleteTestClock(t.Context(), testclocks.DeleteTestClock{ClockID: s.clock, MerchantID: s.merchant, Now: time.Now()}))
		require.Equal(t, charge.Expired, s.look(t, in.ChargeID).Status)
	}
	var end time.Time
	require.NoError(t, s.store.Pool().QueryRow(t.Context(), "SELECT deletes_after FROM test_clocks WHERE id = $1", s.clock).Scan(&end))
	left := func() (charges, buyers int) {
		return s.number(t, "SELECT count(*) FROM charges WHERE test_clock_id IS NOT NULL"),
			s.number(t, "SELECT count(*) FROM charges WHERE test_clock_id IS NOT NULL AND metadata LIKE '%hidden%'")
	}
	s.prune(t, end)
	charges, buyers := left()
	require.Equal(t, [2]int{2, 2}, [2]int{charges, buyers}, "those of a deleted clock are kept as long as others")
	s.prune(t, end.Add(15*day))
	charges, buyers = left()
	require.Equal(t, [2]int{2, 0}, [2]int{charges, buyers}, "buyers go before charges")
	s.prune(t, end.Add(31*day))
	charges, _ = left()
	require.Zero(t, charges)
	s.prune(t, end.Add(31*day))
	require.Zero(t, s.number(t, "SELECT count(*) FROM test_clocks"))
}
