package charge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/charge"
)

func TestMarkAs(t *testing.T) {
	t.Parallel()
	part, whole, none := at(5, 200, paid(400, 5, 100)), at(5, 200, paid(1000, 5, 100)), at(5, 200)
	is := func(status charge.Status, mark charge.Mark) charge.Charge {
		c := pending()
		c.Status, c.Mark = status, mark
		return c
	}
	for name, c := range map[string]struct {
		before charge.Charge
		facts  charge.Facts
		mark   charge.Mark
		after  charge.Status
		marked charge.Mark
		events []string
		err    error
	}{
		"pending with nothing, settled": {is(charge.Pending, ""), none, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, []string{charge.EventConfirmed}, nil},
		"pending with a part, settled":  {is(charge.Pending, ""), part, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, []string{charge.EventConfirmed}, nil},
		"pending with all, settled":     {is(charge.Pending, ""), whole, charge.MarkedSettled, charge.Pending, "", nil, nil},
		"expired, settled":              {is(charge.Expired, ""), none, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, []string{charge.EventLateConfirmed}, nil},
		"invalid, settled":              {is(charge.Expired, charge.MarkedInvalid), none, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, []string{charge.EventLateConfirmed}, nil},
		"invalid with all, settled":     {is(charge.Expired, charge.MarkedInvalid), whole, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, []string{charge.EventLateConfirmed}, nil},
		"confirmed, settled":            {is(charge.Confirmed, ""), whole, charge.MarkedSettled, charge.Confirmed, "", nil, nil},
		"settled, settled":              {is(charge.Confirmed, charge.MarkedSettled), none, charge.MarkedSettled, charge.Confirmed, charge.MarkedSettled, nil, nil},
		"pending with nothing, invalid": {is(charge.Pending, ""), none, charge.MarkedInvalid, charge.Expired, charge.MarkedInvalid, []string{charge.EventExpired}, nil},
		"pending with a part, invalid":  {is(charge.Pending, ""), part, charge.MarkedInvalid, charge.Expired, charge.MarkedInvalid, []string{charge.EventExpired}, nil},
		"expired, invalid":              {is(charge.Expired, ""), none, charge.MarkedInvalid, charge.Expired, charge.MarkedInvalid, nil, nil},
		"invalid, invalid":              {is(charge.Expired, charge.MarkedInvalid), none, charge.MarkedInvalid, charge.Expired, charge.MarkedInvalid, nil, nil},
		"confirmed, invalid":            {is(charge.Confirmed, ""), whole, charge.MarkedInvalid, charge.Confirmed, "", nil, charge.ErrMark},
		"settled by hand, then invalid": {is(charge.Confirmed, charge.MarkedSettled), none, charge.MarkedInvalid, charge.Confirmed, charge.MarkedSettled, nil, charge.ErrMark},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, events, err := charge.MarkAs(c.before, c.facts, c.mark)
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.after, after.Status)
			require.Equal(t, c.marked, after.Mark)
			require.Equal(t, c.events, events)
			if err != nil {
				return
			}
			again, events, err := charge.MarkAs(after, c.facts, c.mark)
			require.NoError(t, err)
			require.Equal(t, after, again)
			require.Empty(t, events)
		})
	}
}

// TestMoneyOfAnInvalidChargeConfirmsNothing until the merchant accepts the money.
func TestMoneyOfAnInvalidChargeConfirmsNothing(t *testing.T) {
	t.Parallel()
	invalid, _, err := charge.MarkAs(pending(), at(5, 100), charge.MarkedInvalid)
	require.NoError(t, err)
	came := at(20, 200, paid(1000, 20, 100))
	same, events := charge.Advance(invalid, came, charge.Rules{})
	require.Equal(t, invalid, same)
	require.Empty(t, events)
	taken, events, err := charge.MarkAs(same, came, charge.MarkedSettled)
	require.NoError(t, err)
	require.Equal(t, []string{charge.EventLateConfirmed}, events)
	rest, events := charge.Advance(taken, at(21, 90), charge.Rules{})
	require.Empty(t, events)
	require.False(t, rest.Unbacked, "who marks a charge takes it with what has come")
}

// TestMoneyAfterTheMonitoringConfirmsNothing by itself. A payment that was first
// seen in time counts, however late it is deep enough.
func TestMoneyAfterTheMonitoringConfirmsNothing(t *testing.T) {
	t.Parallel()
	until := start.Add(90 * time.Minute)
	c := pending()
	c.Status, c.CountsUntil = charge.Expired, &until
	for minute, want := range map[int]charge.Status{70: charge.Confirmed, 90: charge.Confirmed, 91: charge.Expired} {
		got, _ := charge.Advance(c, at(300, 200, paid(1000, minute, 100)), charge.Rules{})
		require.Equal(t, want, got.Status, "minute %d", minute)
	}
	// The monitoring moves with the timeout, as the page says.
	c.Status, c.ExpiresAt = charge.Pending, start.Add(time.Hour)
	moved, _ := charge.Advance(c, at(59, 100, paid(1000, 50, 0)), charge.Rules{ConfirmationWindow: time.Hour})
	require.Equal(t, until.Add(time.Hour), *moved.CountsUntil)
	c.Status = charge.Expired
	taken, err := charge.AcceptUnderpaid(c, at(300, 200, paid(1000, 91, 100)))
	require.NoError(t, err)
	done, events := charge.Advance(taken, at(300, 200, paid(1000, 91, 100)), charge.Rules{})
	require.Equal(t, charge.Confirmed, done.Status)
	require.Equal(t, []string{charge.EventLateConfirmed}, events)
}
