package activities_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/operator"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/trade"
)

// TestChangeOnItsWayIsNotMissing has a wallet send its only output: the change comes with the next
// block, and until then the wallet does not show it.
func TestChangeOnItsWayIsNotMissing(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	_, task := b.ready(t)
	b.ready(t)
	missing := func() bool {
		h, err := (&operator.Admin{Store: b.store, Clock: func() time.Time { return b.now }}).Health(t.Context())
		require.NoError(t, err)
		return slices.Contains(h.Problems, "ltc: it holds less than the books say")
	}
	require.False(t, missing())
	spend := func() {
		_, err := b.store.Pool().Exec(t.Context(), "UPDATE wallets SET total = 0, unlocked = 0 WHERE ticker = 'ltc'")
		require.NoError(t, err)
	}
	spend()
	require.True(t, missing(), "it was taken")
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	spend()
	require.True(t, missing(), "a wallet of Litecoin shows its change at once")
	_, err := b.store.Pool().Exec(t.Context(), "UPDATE wallets SET ticker = 'xmr', network = 'Another' WHERE role = 'exchange' AND ticker = 'ltc'")
	require.NoError(t, err)
	require.False(t, missing())
	b.now = b.now.Add(time.Hour)
	require.True(t, missing(), "no block takes as long")
}

// TestPayoutIsKeptUntilTheWalletShowsItMissing follows the inventory that is reserved for
// one trade: until its payout is missing from the wallet, and not a second time after
// that.
func TestPayoutIsKeptUntilTheWalletShowsItMissing(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	kept := func() (reserved, shown string) {
		row, err := b.store.ReservedInventory(t.Context(), "ltc")
		require.NoError(t, err)
		holdings, err := b.store.ExchangeHoldings(t.Context())
		require.NoError(t, err)
		require.Equal(t, "ltc", holdings[0].ID)
		return row.Reserved.String(), holdings[0].Reserved.String()
	}
	requireKept := func(want, when string) {
		t.Helper()
		reserved, shown := kept()
		require.Equal(t, []string{want, want}, []string{reserved, shown}, when)
	}
	row, task := b.ready(t)
	payout := b.row(t, row.ID).Payout.String()
	requireKept(payout, "planned")

	b.now = b.now.Add(time.Second)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	_, err := b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: row.ID, Now: b.now})
	require.NoError(t, err)
	require.Equal(t, string(trade.Sending), b.row(t, row.ID).Status)
	requireKept(payout, "the wallet was not looked at since")

	b.now = b.now.Add(time.Second)
	b.look(t)
	requireKept("0", "the wallet shows that it is gone")
	require.Equal(t, payout, b.row(t, row.ID).Reserved.String(), "the trade still says what it is for")

	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	requireKept("0", "completed")
}

// TestOrdersWithoutATradeAreForgotten: retention removes the records of refused trades'
// orders by their age, but not within the day in which they guard against a second order.
func TestOrdersWithoutATradeAreForgotten(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	made := b.order("ex")
	_, err := b.place(t, made)
	require.NoError(t, err)
	note := func(id, provider, state, age string) {
		_, err := b.store.Pool().Exec(t.Context(), `INSERT INTO trade_orders (trade_id, provider, state, sent_at)
			VALUES ($1, $2, $3, $4::timestamptz - $5::interval)`, id, provider, state, b.now, age)
		require.NoError(t, err)
	}
	note("00000000000000000000000000000001", "ex", "refused", "31 days")
	note("00000000000000000000000000000001", "other", "uncertain", "31 days")
	note("00000000000000000000000000000002", "ex", "refused", "29 days")
	note(made.TradeID, "other", "refused", "31 days")
	remaining := func(keep time.Duration) int {
		r := &upkeep.Retention{Store: b.store, BuyerData: keep, Records: keep}
		for in := (upkeep.Prune{Now: b.now}); ; {
			done := runPrune(t, r, in)
			if in.From = done.Next; done.Done {
				return b.number(t, "SELECT count(*) FROM trade_orders")
			}
		}
	}
	require.Equal(t, 3, remaining(30*24*time.Hour), "both notes of the first trade are gone; those of a trade that is there stay")
	require.Equal(t, 3, remaining(30*24*time.Hour))
	note("00000000000000000000000000000003", "ex", "refused", "23 hours")
	require.Equal(t, 3, remaining(time.Minute), "a creation that may be under way forgets nothing")
	require.Equal(t, 1, b.number(t, "SELECT count(*) FROM trade_orders WHERE trade_id = '00000000000000000000000000000003'"))
}

func runPrune(t *testing.T, r *upkeep.Retention, in upkeep.Prune) (done upkeep.Pruned) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivity(r)
	result, err := env.ExecuteActivity(r.PruneData, in)
	require.NoError(t, err)
	require.NoError(t, result.Get(&done))
	return done
}
