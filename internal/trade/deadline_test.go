package trade_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/trade"
)

// TestUnconfirmedDepositDoesNotHoldTheRate leaves a deposit in the pool: its
// window ends an hour after the start, its rate three hours after the start.
func TestUnconfirmedDepositDoesNotHoldTheRate(t *testing.T) {
	t.Parallel()
	first := trade.Advance(fresh(), seen(59, came(1, "1", 59, 0)))
	require.Equal(t, trade.DepositDetected, first.Trade.Status)
	require.Equal(t, start.Add(3*time.Hour), first.Trade.RecheckAt())
	for name, c := range map[string]struct {
		minute int
		mined  int // minutes; 0 for never
		depth  int64
		want   []trade.Status
		order  trade.Kind
	}{
		"a moment before":                 {179, 0, 0, nil, ""},
		"unconfirmed when the rate ends":  {180, 0, 0, []trade.Status{trade.AwaitingDeposit, trade.Expired}, ""},
		"mined in time, seen deep later":  {13 * 24 * 60, 179, 2, []trade.Status{trade.Confirming, trade.Processing}, trade.Payout},
		"mined when it ends":              {181, 180, 1, []trade.Status{trade.AwaitingDeposit, trade.Expired}, ""},
		"mined after 13 days":             {13 * 24 * 60, 13 * 24 * 60, 2, []trade.Status{trade.AwaitingDeposit, trade.Expired}, trade.Refund},
		"mined in time, not deep yet":     {299, 179, 1, []trade.Status{trade.Confirming}, ""},
		"mined in time, never deep":       {300, 179, 1, []trade.Status{trade.AwaitingDeposit, trade.Expired}, ""},
		"mined in time, back in the pool": {299, 179, 0, nil, ""},
		"and never mined again":           {300, 179, 0, []trade.Status{trade.AwaitingDeposit, trade.Expired}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := came(1, "1", 59, 0)
			if d.Confirmations = c.depth; c.mined > 0 {
				d.MinedAt = start.Add(time.Duration(c.mined) * time.Minute)
			}
			facts := seen(c.minute, d)
			o := trade.Advance(first.Trade, facts)
			require.Equal(t, c.want, path(o))
			require.False(t, facts.Deposits[0].Abandoned, "facts are read only")
			if o.Trade.Status == trade.Expired {
				require.Equal(t, []int64{1}, o.Abandoned)
				require.Zero(t, o.Trade.Reserved.Sign(), "nothing is kept for it")
			}
			if c.order == "" {
				require.Empty(t, o.Planned)
				return
			}
			require.Len(t, o.Planned, 1)
			require.Equal(t, c.order, o.Planned[0].Kind)
		})
	}
}

// TestGivenUpDepositStaysGivenUp sends back an abandoned deposit once it is
// deep, although it was mined too late.
func TestGivenUpDepositStaysGivenUp(t *testing.T) {
	t.Parallel()
	d := came(1, "1", 59, 0)
	over := trade.Advance(fresh(), seen(180, d))
	require.Equal(t, []trade.Status{trade.Expired}, path(over))
	d.Abandoned, d.Confirmations, d.MinedAt = true, 2, start.Add(200*time.Minute)
	back := trade.Advance(over.Trade, seen(205, d))
	require.Equal(t, []trade.PlannedTransaction{{trade.Refund, 1, dec("1")}}, back.Planned)
	require.Contains(t, back.Trade.Detail, "not in a block in time")
	require.Empty(t, back.Abandoned, "once is enough")
}

// TestLockedDepositDoesNotHoldTheRate sends money that its payer locked: mined
// in time, but spendable only after the rate has ended.
func TestLockedDepositDoesNotHoldTheRate(t *testing.T) {
	t.Parallel()
	d := came(1, "1", 5, 50)
	d.Locked = true
	waits := trade.Advance(fresh(), seen(299, d))
	require.Equal(t, trade.Confirming, waits.Trade.Status)
	require.Equal(t, start.Add(5*time.Hour), waits.Trade.RecheckAt())
	over := trade.Advance(waits.Trade, seen(300, d))
	require.Equal(t, []trade.Status{trade.AwaitingDeposit, trade.Expired}, path(over))
	require.Equal(t, []int64{1}, over.Abandoned)
	d.Abandoned, d.Locked = true, false
	back := trade.Advance(over.Trade, seen(9000, d))
	require.Equal(t, trade.Refund, back.Planned[0].Kind)
	require.Contains(t, back.Trade.Detail, "locked")
	d.Abandoned = false
	paid := trade.Advance(waits.Trade, seen(299, d))
	require.Equal(t, trade.Payout, paid.Planned[0].Kind, "spendable in time")
}

// TestSmallTradeIsNoOptionOnALargeOne announces the minimum, and sends the
// maximum once the price has fallen below the locked one.
func TestSmallTradeIsNoOptionOnALargeOne(t *testing.T) {
	t.Parallel()
	tr := fresh()
	tr.AtLockedRate, tr.Quoted, tr.Reserved = dec("0.0505"), dec("0.1"), dec("0.1")
	for current, want := range map[string]string{"1": "20.0505", "1.99": "39.800505", "2": "40", "2.5": "40"} {
		f := seen(59, came(1, "20", 59, 2))
		f.Free, f.CurrentRate = dec("1000"), dec(current)
		o := trade.Advance(tr, f)
		require.Len(t, o.Planned, 1)
		require.Equal(t, trade.Payout, o.Planned[0].Kind)
		require.Equal(t, want, o.Planned[0].Amount.String(), "at %s", current)
		require.LessOrEqual(t, o.Trade.Commissionable().Mul(tr.Rate).Cmp(o.Trade.Payout), 0, "the commission follows")
	}
	whole := tr
	whole.Payout, whole.Received = dec("2"), dec("1")
	require.Equal(t, "1", whole.Commissionable().String(), "paid at the locked rate, the whole deposit counts")
}
