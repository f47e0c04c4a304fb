package activities_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// twice looks at a trade two times: the second look changes nothing.
func (b *bureau) twice(t *testing.T, id string) trades.TradeState {
	t.Helper()
	b.advance(t, id)
	before, events := b.row(t, id), b.path(t, id)
	state := b.advance(t, id)
	require.Equal(t, before, b.row(t, id))
	require.Equal(t, events, b.path(t, id))
	return state
}

// TestDepositThatIsNotMinedInTimeIsSentBack lets a deposit lie in the pool until
// the price has fallen, and mines it days later.
func TestDepositThatIsNotMinedInTimeIsSentBack(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.deposit(row, "slow", "1", 0)
	state := b.twice(t, row.ID)
	require.Equal(t, trade.DepositDetected, state.Status)
	require.Equal(t, row.ExpiresAt.Add(2*time.Hour), state.RecheckAt)

	b.now = row.ExpiresAt.Add(2*time.Hour - time.Millisecond)
	require.Equal(t, trade.DepositDetected, b.twice(t, row.ID).Status)
	b.now = row.ExpiresAt.Add(2 * time.Hour)
	require.Equal(t, trade.Expired, b.twice(t, row.ID).Status)
	require.Zero(t, b.row(t, row.ID).Reserved.Sign(), "the inventory is free again")

	b.now = b.now.Add(13 * 24 * time.Hour)
	b.deposit(row, "slow", "1", 2)
	state = b.twice(t, row.ID)
	require.Contains(t, state.Detail, "not in a block in time")
	require.Len(t, state.Payments, 1)
	b.send(t, state)
	b.mine(t, row.ID)
	require.Equal(t, trade.Refunded, b.twice(t, row.ID).Status)
	whole, err := b.store.TradePayments(t.Context(), row.ID)
	require.NoError(t, err)
	require.Len(t, whole, 1)
	require.Equal(t, string(trade.Refund), whole[0].Kind)
}

// TestDepositMinedInTimeIsPaidAfterALateScan has the worker away for days: its
// absence begins earlier than the deadline. A deposit that was seen in a block in time is
// paid.
func TestDepositMinedInTimeIsPaidAfterALateScan(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.now = row.ExpiresAt.Add(-time.Minute)
	b.deposit(row, "deposit", "1", 0)
	b.advance(t, row.ID)
	b.now = row.ExpiresAt.Add(time.Hour)
	b.deposit(row, "deposit", "1", 1)
	b.look(t)
	b.now = b.now.Add(72 * time.Hour)
	b.deposit(row, "deposit", "1", 50)
	state := b.twice(t, row.ID)
	require.Equal(t, trade.Processing, state.Status)
	require.Equal(t, row.AmountTo.String(), b.row(t, row.ID).Payout.String())
}

// TestUnconfirmedDepositsCountAsUnfunded sends money that can still be replaced to each
// trade. The inventory that one client, and all clients together, reserve stays capped.
func TestUnconfirmedDepositsCountAsUnfunded(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.use("xmr", b.xmr, 20)
	for range 2 {
		b.look(t)
	}
	fill := func(client string) (made []db.Trade) {
		for range 10 {
			in := b.request("5") // keeps 9.8 LTC
			in.ClientCode = []byte(client)
			if _, err := b.fill(t.Context(), in); err != nil {
				var app *temporal.ApplicationError
				require.ErrorAs(t, err, &app)
				require.Equal(t, refusals.Route, app.Type())
				return made
			}
			row := b.row(t, in.TradeID)
			b.deposit(row, "pool "+row.ID, "5", 0)
			require.Equal(t, trade.DepositDetected, b.advance(t, row.ID).Status)
			made = append(made, row)
		}
		return made
	}
	one := fill("one")
	require.Len(t, one, 4, "40 % of 99.99 is four times 9.8")
	require.Len(t, fill("two"), 4, "80 % in all is eight times")
	require.Empty(t, fill("three"), "money in the pool does not make room")
	b.deposit(one[0], "pool "+one[0].ID, "5", 1)
	require.Equal(t, trade.Confirming, b.advance(t, one[0].ID).Status)
	require.Len(t, fill("three"), 1, "a block does")
}

// TestSmallTradePaysTheExcessAtThePriceOfNow announces the least, waits for the
// price to fall, and sends twenty.
func TestSmallTradePaysTheExcessAtThePriceOfNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ xmr, excess string }{
		"the price fell": {"75", "0.98"}, // 75 for 75 less 2 %
		"the price rose": {"300", ""},
		"it stayed":      {"150", ""}, // now is without the network fee, and so no worse
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			b.trades.Quoter.ExcessBP = 100
			row := b.create(t, b.request("0.1"))
			b.usd["xmr"] = c.xmr
			b.deposit(row, "more", "20", 2)
			state := b.twice(t, row.ID)
			require.Equal(t, trade.Processing, state.Status, state.Detail)
			want := row.Rate.Mul(money.MustDecimal("20"))
			if c.excess != "" {
				locked, excess := money.MustDecimal("0.101"), money.MustDecimal("19.899")
				want = row.Rate.Mul(locked).Add(excess.Mul(money.MustDecimal(c.excess)))
			}
			paid := b.row(t, row.ID)
			require.Equal(t, want.Floor(8).String(), paid.Payout.String())
			require.Equal(t, paid.Payout.String(), paid.Reserved.String())
		})
	}
	b := bureauOf(t)
	row := b.create(t, b.request("0.1"))
	b.price = errors.New("stale")
	b.deposit(row, "more", "20", 2)
	state := b.twice(t, row.ID)
	require.Contains(t, state.Detail, "no current price")
	require.Zero(t, b.row(t, row.ID).Payout.Sign())
}

// TestCommissionOfARepricedDepositFollowsThePayout credits no more for the
// excess than was paid for it.
func TestCommissionOfARepricedDepositFollowsThePayout(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	b.partner(t)
	in := b.request("0.1")
	id := partnerKeyID
	in.KeyID, in.Markup = &id, 1000
	row := b.create(t, in)
	b.usd["xmr"] = "15"
	b.deposit(row, "more", "20", 2)
	state := b.twice(t, row.ID)
	b.send(t, state)
	state = b.advance(t, row.ID)
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.twice(t, row.ID).Status, state.Detail)
	balances, err := b.store.CommissionBalance(t.Context(), id)
	require.NoError(t, err)
	require.Len(t, balances, 1)
	paid := b.row(t, row.ID)
	require.LessOrEqual(t, balances[0].Amount.Mul(money.MustDecimal("8.9")).Cmp(paid.Payout), 0, "a tenth of %s is not %s", paid.Payout, balances[0].Amount)
}
