package trade_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/trade"
)

// market is XMR at 150 for LTC at 75, with 2 % spread and 0.001 LTC of chain fee.
func market() trade.Market {
	return trade.Market{
		USDFrom: dec("150"), USDTo: dec("75"), DecimalsTo: 8, SpreadBP: 200, NetworkFee: dec("0.001"), Free: dec("1000"),
		Min: dec("0.05"), Max: dec("20"), Step: dec("1"),
	}
}

func TestPrice(t *testing.T) {
	t.Parallel()
	q, err := market().Price(dec("2"), 100)
	require.NoError(t, err)
	// 2 × 2 = 4, less 2 % = 3.92, less 0.001 = 3.919: 1.9595 each; less 1 % = 1.939905.
	require.Equal(t, "1.939905", q.Rate.String())
	require.Equal(t, "3.87981", q.AmountTo.String())
	require.Equal(t, "0.019595", q.CommissionRate.String())
	require.Equal(t, "0.075", q.NetworkFeeUSD.String())
	require.Equal(t, "6", q.SpreadUSD.String())
	require.Equal(t, "2.9393", q.MarkupUSD.String(), "rounded up")
	require.Equal(t, "9.0143", q.FeesUSD.String())
	require.Equal(t, "0.03919", trade.Commission(dec("2"), q.CommissionRate, 8).String())
}

func TestLimits(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		change   func(*trade.Market)
		min, max string
	}{
		"as configured":             {func(*trade.Market) {}, "0.05", "20"},
		"inventory in whole steps":  {func(m *trade.Market) { m.Free = dec("15.9") }, "0.05", "7"},
		"inventory below a step":    {func(m *trade.Market) { m.Free = dec("1.99") }, "0.05", "0"},
		"no inventory":              {func(m *trade.Market) { m.Free = dec("0") }, "0.05", "0"},
		"a dear network":            {func(m *trade.Market) { m.NetworkFee = dec("0.2") }, "0.25", "20"},
		"inventory below dear fees": {func(m *trade.Market) { m.NetworkFee, m.Free = dec("5"), dec("8") }, "5.15", "0"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := market()
			c.change(&m)
			l, err := m.Limits()
			require.NoError(t, err)
			require.Equal(t, c.min, l.Min.String())
			require.Equal(t, c.max, l.Max.String())
		})
	}
}

func TestPriceHoldsTheLimits(t *testing.T) {
	t.Parallel()
	var limit *trade.LimitError
	_, err := market().Price(dec("0.049999999999"), 0)
	require.ErrorAs(t, err, &limit)
	require.True(t, limit.Below)
	_, err = market().Price(dec("20.000000000001"), 0)
	require.ErrorAs(t, err, &limit)
	require.False(t, limit.Below)
	empty := market()
	empty.Free = dec("0")
	_, err = empty.Price(dec("1"), 0)
	require.ErrorIs(t, err, trade.ErrUnfillable)
	for _, price := range []string{"0", "-1"} {
		broken := market()
		broken.USDTo = dec(price)
		_, err = broken.Price(dec("1"), 0)
		require.ErrorIs(t, err, trade.ErrPrice)
	}
}

// TestPriceIsNeverAboveTheMarket holds for any prices, fees and markups. Payout and
// commission together are below the mid price less spread and fee, and fit the
// inventory. The amounts agree with the rate.
func TestPriceIsNeverAboveTheMarket(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := market()
		m.USDFrom = money.FromAtomic(rapid.Uint64Range(1, 10_000_000_000).Draw(t, "from"), 4)
		m.USDTo = money.FromAtomic(rapid.Uint64Range(1, 10_000_000_000).Draw(t, "to"), 4)
		m.SpreadBP = rapid.Int64Range(0, 2000).Draw(t, "spread")
		m.NetworkFee = money.FromAtomic(rapid.Uint64Range(0, 10_000_000).Draw(t, "fee"), 8)
		m.Free = money.FromAtomic(rapid.Uint64().Draw(t, "free"), 8)
		markup := rapid.Int64Range(0, 500).Draw(t, "markup")
		amount := money.FromAtomic(rapid.Uint64Range(50_000_000_000, 20_000_000_000_000).Draw(t, "amount"), 12)
		q, err := m.Price(amount, markup)
		if err != nil {
			return
		}
		require.Positive(t, q.AmountTo.Sign())
		require.Equal(t, amount.Mul(q.Rate).Floor(8).String(), q.AmountTo.String())
		require.LessOrEqual(t, q.AmountTo.Cmp(m.Free), 0)
		paid := q.AmountTo.Add(trade.Commission(amount, q.CommissionRate, 8))
		kept := money.DecimalFromInt(10_000 - m.SpreadBP).Mul(dec("0.0001"))
		// Multiplied out, so that the test has no rounding of its own.
		require.LessOrEqual(t, paid.Add(m.NetworkFee).Mul(m.USDTo).Cmp(amount.Mul(m.USDFrom).Mul(kept)), 0)
	})
}

func TestInventory(t *testing.T) {
	t.Parallel()
	i := trade.Inventory{
		Unlocked: dec("101"), FeeAllowance: dec("1"), Reserved: dec("40"), Unfunded: dec("30"), UnfundedPercent: 50, ClientPercent: 20,
	}
	require.Equal(t, "60", i.Free().String())
	require.Equal(t, "20", i.Quotable().String(), "trades without a deposit keep at most half of 100, and 30 of it is kept")
	require.True(t, i.Admits(dec("20"), dec("0")))
	require.False(t, i.Admits(dec("20.1"), dec("0")))
	require.True(t, i.Admits(dec("10"), dec("10")))
	require.False(t, i.Admits(dec("10"), dec("10.1")), "one client keeps at most a fifth")
	i.ClientPercent = 0
	require.True(t, i.Admits(dec("10"), dec("10.1")))
	i.Unlocked = dec("0.5")
	require.Zero(t, i.Free().Sign())
	require.Zero(t, i.Quotable().Sign())
}

func TestEventBody(t *testing.T) {
	t.Parallel()
	body, err := trade.EventBody("ab", trade.Transition{From: trade.Confirming, To: trade.Processing}, start)
	require.NoError(t, err)
	require.Equal(t, `{"id":"ab","status":"processing","prev_status":"confirming","occurred_at":"2026-11-21T09:30:00.000Z"}`, string(body))
}
