package charge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/money"
	_ "github.com/durapay/durapay/tools/testseed"
)

var start = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)

func pending() charge.Charge {
	return charge.Charge{
		ID: "ch_0123456789abcdef01234567", Status: charge.Pending, AmountXMR: 1000, ConfirmFrom: 1000,
		ConfirmationsRequired: 10, CreatedAt: start, ExpiresAt: start.Add(time.Hour), LinkActive: true,
	}
}

// paid is a payment seen a number of minutes after the start; height 0 is the pool.
func paid(amount money.Piconero, minute int, height int64) charge.Payment {
	p := charge.Payment{TxHash: "t", Amount: amount, FirstSeenAt: start.Add(time.Duration(minute) * time.Minute)}
	if height > 0 {
		p.Height = &height
	}
	return p
}

// at returns the facts of a watcher that has scanned this many blocks.
func at(minute int, height int64, payments ...charge.Payment) charge.Facts {
	for i, p := range payments {
		payments[i].Mature = p.Height != nil && charge.MatureHeight(*p.Height, 10, 0) <= height
	}
	return charge.Facts{Payments: payments, ChainHeight: height, Now: start.Add(time.Duration(minute) * time.Minute)}
}

func TestAdvance(t *testing.T) {
	t.Parallel()
	rules := charge.Rules{ConfirmationWindow: 2 * time.Hour}
	unfound := at(5, 200, paid(1000, 5, 100))
	unfound.Payments[0].Mature = false
	cases := map[string]struct {
		facts  charge.Facts
		status charge.Status
		events []string
		late   bool
		until  time.Duration
	}{
		"nothing yet":                 {at(5, 100), charge.Pending, nil, false, time.Hour},
		"in the pool":                 {at(5, 100, paid(1000, 5, 0)), charge.Pending, []string{charge.EventPending}, false, 3 * time.Hour},
		"part of it":                  {at(5, 100, paid(999, 5, 0)), charge.Pending, []string{charge.EventPending}, false, time.Hour},
		"in a block":                  {at(5, 109, paid(1000, 5, 100)), charge.Pending, []string{charge.EventPending}, false, 3 * time.Hour},
		"deep enough":                 {at(5, 110, paid(1000, 5, 100)), charge.Confirmed, []string{charge.EventPending, charge.EventConfirmed}, false, 3 * time.Hour},
		"two parts":                   {at(5, 120, paid(400, 5, 100), paid(600, 6, 101)), charge.Confirmed, []string{charge.EventPending, charge.EventConfirmed}, false, 3 * time.Hour},
		"second part not deep":        {at(5, 110, paid(400, 5, 100), paid(600, 6, 101)), charge.Pending, []string{charge.EventPending}, false, 3 * time.Hour},
		"deep, not found again":       {unfound, charge.Pending, []string{charge.EventPending}, false, 3 * time.Hour},
		"timeout":                     {at(60, 100), charge.Expired, []string{charge.EventExpired}, false, time.Hour},
		"a moment before the timeout": {at(59, 100), charge.Pending, nil, false, time.Hour},
		"short at the timeout":        {at(60, 100, paid(999, 5, 0)), charge.Expired, []string{charge.EventPending, charge.EventExpired}, false, time.Hour},
		"seen in time, looked at the timeout": {
			at(60, 100, paid(1000, 59, 0)), charge.Pending, []string{charge.EventPending}, false, 3 * time.Hour,
		},
		"seen at the timeout": {
			at(60, 100, paid(1000, 60, 0)), charge.Expired, []string{charge.EventPending, charge.EventExpired}, false, time.Hour,
		},
		"deep at the timeout, seen late": {
			at(90, 110, paid(1000, 70, 100)), charge.Confirmed, []string{charge.EventPending, charge.EventConfirmed}, false, time.Hour,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, events := charge.Advance(pending(), c.facts, rules)
			require.Equal(t, c.status, got.Status)
			require.Equal(t, c.events, events)
			require.Equal(t, c.late, got.Late)
			require.Equal(t, start.Add(c.until), got.ExpiresAt)
		})
	}
}

func TestLateMoneyConfirmsAnExpiredCharge(t *testing.T) {
	t.Parallel()
	expired, _ := charge.Advance(pending(), at(60, 100), charge.Rules{})
	seen, events := charge.Advance(expired, at(70, 100, paid(1000, 70, 0)), charge.Rules{})
	require.Equal(t, charge.Expired, seen.Status)
	require.Empty(t, events, "charge.pending is not for an expired charge")
	done, events := charge.Advance(seen, at(90, 111, paid(1000, 70, 101)), charge.Rules{})
	require.Equal(t, []string{charge.EventLateConfirmed}, events)
	require.True(t, done.Late)
	require.NotNil(t, done.ConfirmedAt)
}

func TestReorgAfterConfirmationUnbacksUntilTheMoneyIsBack(t *testing.T) {
	t.Parallel()
	done, _ := charge.Advance(pending(), at(5, 110, paid(1000, 5, 100)), charge.Rules{})
	lost, events := charge.Advance(done, at(6, 105), charge.Rules{})
	require.Empty(t, events)
	require.Equal(t, charge.Confirmed, lost.Status)
	require.True(t, lost.Unbacked)
	pooled, events := charge.Advance(lost, at(6, 105, paid(1000, 5, 0)), charge.Rules{})
	require.Empty(t, events)
	require.True(t, pooled.Unbacked, "what is in the pool again may never be mined")
	back, events := charge.Advance(lost, at(7, 106, paid(1000, 5, 105)), charge.Rules{})
	require.Empty(t, events)
	require.False(t, back.Unbacked)
}

func TestReorgBeforeConfirmationTakesTheChargeBack(t *testing.T) {
	t.Parallel()
	seen, _ := charge.Advance(pending(), at(5, 105, paid(1000, 5, 100)), charge.Rules{})
	gone, events := charge.Advance(seen, at(6, 106), charge.Rules{})
	require.Empty(t, events)
	view := charge.PublicViewOf(gone, at(6, 106), "")
	require.Equal(t, charge.Unpaid, view.PaymentState)
	require.Zero(t, view.Confirmations)
}

// TestAdvanceTwiceChangesNothing proves the property that makes a retry of the
// activity safe.
func TestAdvanceTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := pending()
		rules := charge.Rules{ConfirmationWindow: time.Duration(rapid.IntRange(0, 3).Draw(t, "window")) * time.Hour}
		emitted := map[string]int{}
		for range rapid.IntRange(1, 12).Draw(t, "looks") {
			var payments []charge.Payment
			for range rapid.IntRange(0, 3).Draw(t, "payments") {
				payments = append(payments, paid(money.Piconero(rapid.Uint64Range(1, 1500).Draw(t, "amount")),
					rapid.IntRange(0, 200).Draw(t, "seen"), rapid.Int64Range(0, 120).Draw(t, "height")))
			}
			facts := at(rapid.IntRange(0, 300).Draw(t, "now"), rapid.Int64Range(1, 140).Draw(t, "chain"), payments...)
			next, events := charge.Advance(c, facts, rules)
			again, more := charge.Advance(next, facts, rules)
			require.Equal(t, next, again)
			require.Empty(t, more)
			for _, e := range events {
				emitted[e]++
				require.Equal(t, 1, emitted[e], "%s twice", e)
			}
			require.Equal(t, next.Status == charge.Confirmed, next.ConfirmedAt != nil)
			c = next
		}
	})
}
