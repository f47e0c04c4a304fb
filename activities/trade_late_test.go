package activities_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/alert"
	"github.com/durapay/durapay/internal/chain"
	"github.com/durapay/durapay/internal/exchange"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/pgtest"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/provider/providertest"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
)

// holdTrades blocks all writes of trades until the transaction is rolled back. A writer
// waits in the middle of its transaction.
func (b *bureau) holdTrades(t *testing.T) (held pgx.Tx) {
	t.Helper()
	held, err := b.store.Pool().Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = held.Rollback(context.Background()) }) // a second time there is nothing to end
	_, err = held.Exec(t.Context(), "LOCK TABLE trades IN SHARE MODE")
	require.NoError(t, err)
	return held
}

func (b *bureau) requireNoTrade(t *testing.T, id string) {
	t.Helper()
	_, err := b.store.GetTrade(t.Context(), id)
	require.True(t, postgres.IsNotFound(err))
}

// gone lets the workflow look for a trade that does not exist.
func (b *bureau) gone(t *testing.T, id string) {
	t.Helper()
	_, err := b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: id, Now: b.now})
	requireRefused(t, err, refusals.Missing)
}

// TestAttemptThatComesAfterTheLastCheckMakesNoTrade runs orders that Temporal gave up, and
// that come to the database only after the workflow has looked and ended. A trade that they
// made would have no workflow. Another run of the same trade may make it.
func TestAttemptThatComesAfterTheLastCheckMakesNoTrade(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex", "other")
	order := b.order("ex")
	b.gone(t, order.TradeID)
	for _, name := range []string{"ex", "other"} {
		late := order
		late.Route.Provider = name
		_, err := b.place(t, late)
		requireRefused(t, err, refusals.Route)
	}
	require.Zero(t, h.orders, "nothing is ordered")
	b.requireNoTrade(t, order.TradeID)

	order.Now = order.Now.Add(time.Second)
	made, err := b.place(t, order)
	require.NoError(t, err)
	require.Equal(t, "ex", made.Provider)
	require.Equal(t, 1, h.orders)
}

// TestLastCheckWaitsForWhoIsWriting lets the workflow look while an order is between its
// first and its last statement: the trade is found and carried.
func TestLastCheckWaitsForWhoIsWriting(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	order := b.order("ex")
	held := b.holdTrades(t)
	made, looked := make(chan error, 1), make(chan error, 1)
	go func() { _, err := b.environment().ExecuteActivity(b.trades.PlaceOrder, order); made <- err }()
	pgtest.AwaitBlocked(t, b.store, held, 1)
	var state trades.TradeState
	go func() {
		var err error
		state, err = b.trades.AdvanceTrade(t.Context(), trades.AdvanceTrade{TradeID: order.TradeID, Now: b.now})
		looked <- err
	}()
	pgtest.AwaitBlocked(t, b.store, held, 2)
	require.NoError(t, held.Rollback(t.Context()))
	require.NoError(t, <-made)
	require.NoError(t, <-looked)
	require.Equal(t, trade.AwaitingDeposit, state.Status)
	require.True(t, state.Upstream)
}

// TestTradeThatAnotherRouteHasFilledIsNotOrdered: two requests with one key choose two
// routes. The order that comes second finds the trade, and what it has begun is given up.
func TestTradeThatAnotherRouteHasFilledIsNotOrdered(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	for _, begun := range []bool{false, true} {
		order := b.order("ex")
		own := b.request("1")
		own.TradeID = order.TradeID
		if begun {
			h.set(func() {
				h.meanwhile = func() { b.create(t, own) }
			})
		} else {
			b.create(t, own)
		}
		for range 2 {
			_, err := b.environment().ExecuteActivity(b.trades.PlaceOrder, order)
			if err == nil {
				continue
			}
			require.True(t, begun, "a fault, which Temporal repeats: %v", err)
		}
		require.Equal(t, exchange.ProviderName, b.row(t, order.TradeID).Provider)
		orders, err := b.store.OrderInHand(t.Context(), order.TradeID)
		require.True(t, postgres.IsNotFound(err), orders)
	}
	require.Equal(t, 1, h.orders)
}

// TestAttemptThatComesAfterARefusalOrdersNothing has one attempt refused before
// it has noted its order, and another that was presumed dead come after it.
func TestAttemptThatComesAfterARefusalOrdersNothing(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	in := b.order("ex")
	b.listed = []string{providertest.Payout}
	_, err := b.place(t, in)
	requireRefused(t, err, refusals.Blocked)
	b.listed = nil
	_, err = b.place(t, in)
	requireRefused(t, err, refusals.Route)
	require.Zero(t, h.orders)
	b.requireNoTrade(t, in.TradeID)

	in = b.order("ex")
	b.noList = errors.New("the database is away")
	_, err = b.place(t, in)
	require.Error(t, err)
	b.noList = nil
	_, err = b.place(t, in)
	require.NoError(t, err, "a fault is no refusal")
}

// TestTradesInBothDirectionsDoNotWaitForEachOther makes two trades at the same
// time, each of which is paid by the wallet that the other one's deposit comes to.
func TestTradesInBothDirectionsDoNotWaitForEachOther(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	there := b.trades.Quoter.Pairs[0]
	back := exchange.Pair{From: there.To, To: there.From, Min: there.Min, Max: there.Max, Step: there.Step}
	b.trades.Quoter.Pairs = append(b.trades.Quoter.Pairs, back)
	one, other := b.request("1"), b.request("1")
	other.TickerFrom, other.TickerTo, other.AmountFrom = "ltc", "xmr", money.MustDecimal("2")
	held := b.holdTrades(t)
	made := make(chan error, 2)
	for _, in := range []exchange.NewTrade{one, other} {
		go func() { _, err := b.fill(t.Context(), in); made <- err }()
	}
	pgtest.AwaitBlocked(t, b.store, held, 2)
	require.NoError(t, held.Rollback(t.Context()))
	require.NoError(t, <-made)
	require.NoError(t, <-made)
}

// TestAnswerThatWasSupersededIsDropped lets a question be presumed dead while the
// provider answers it, and its answer come to the database after the next one. The older
// answer changes nothing any more.
func TestAnswerThatWasSupersededIsDropped(t *testing.T) {
	t.Parallel()
	for newer, c := range map[string]struct {
		older string
		want  trade.Status
	}{
		"refunded": {"exchanging", trade.Refunded}, "failed": {"sending", trade.Failed}, "finished": {"exchanging", trade.Completed},
		"confirming": {"waiting", trade.Confirming},
	} {
		t.Run(newer, func(t *testing.T) {
			t.Parallel()
			b := bureauOf(t)
			in := b.order("agg")
			var checks atomic.Int32
			slow := saying(t, provider.RiskFlexible, func() string {
				if checks.Add(1) > 1 {
					return newer
				}
				_, err := b.follow(t, in.TradeID)
				require.NoError(t, err)
				return c.older
			})
			b.trades.Quoter.Fanout = provider.NewFanout([]provider.Provider{slow}, provider.FanoutOptions{MaxWait: exchange.MaxQuoteWait, Now: func() time.Time { return b.now }})
			_, err := b.place(t, in)
			require.NoError(t, err)
			b.now = b.now.Add(time.Second)
			state, err := b.follow(t, in.TradeID)
			require.NoError(t, err)
			require.Equal(t, c.want, state.Status)
			require.Equal(t, newer != "confirming", state.Closed)
			path := b.path(t, in.TradeID)
			require.Equal(t, string(c.want), path[len(path)-1])
		})
	}
}

// TestRunThatWasSupersededFailsNothing lets a run that was presumed dead find
// that a payment cannot be made, after another has sent it.
func TestRunThatWasSupersededFailsNothing(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	b.ltc.buildErr = chain.ErrTooSmall
	b.ltc.meanwhile = func() { require.NoError(t, b.payments.SendTradePayment(t.Context(), task)) }
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	require.Len(t, b.ltc.relayed, 1)
	require.Equal(t, trade.Sending, b.advance(t, row.ID).Status)
	require.Empty(t, b.alerts(t))
}

// TestTradeWithoutARunIsFound leaves a trade without a workflow, and its
// window passes: it is signalled, which starts one, and keeps no inventory then.
func TestTradeWithoutARunIsFound(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	for _, c := range []struct {
		wait time.Duration
		want []string
	}{{time.Hour + 9*time.Minute, nil}, {2 * time.Minute, []string{row.ID}}} {
		b.now = b.now.Add(c.wait)
		b.xmr.tip++
		b.ltc.tip++
		b.look(t)
		require.Equal(t, c.want, b.signals)
	}
	require.Equal(t, trade.Expired, b.advance(t, row.ID).Status)
	kept, err := b.store.ReservedInventory(t.Context(), "ltc")
	require.NoError(t, err)
	require.Zero(t, kept.Reserved.Sign())
	b.signals = nil
	b.xmr.tip++
	b.look(t)
	require.Empty(t, b.signals)
}

// TestTradesThatNeedAWorkflowAreOpen lists the trades whose workflows are restarted after
// Temporal has lost its memory.
func TestTradesThatNeedAWorkflowAreOpen(t *testing.T) {
	t.Parallel()
	b, h := bureauOf(t), &house{}
	h.open(t, b, provider.RiskControlled, "ex")
	open := func() []string {
		ids, err := b.store.OpenTrades(t.Context())
		require.NoError(t, err)
		return ids
	}
	in := b.order("ex")
	_, err := b.place(t, in)
	require.NoError(t, err)
	b.now = b.now.Add(2 * time.Hour)
	state, err := b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Equal(t, trade.Expired, state.Status)
	require.Equal(t, []string{in.TradeID}, open(), "its provider is asked on")
	h.set(func() { h.word = "overdue" })
	_, err = b.follow(t, in.TradeID)
	require.NoError(t, err)
	require.Empty(t, open())

	b.look(t)
	row := b.create(t, b.request("1"))
	b.now = b.now.Add(2 * time.Hour)
	b.advance(t, row.ID)
	b.deposit(row, "late", "1", 1)
	b.advance(t, row.ID)
	require.Empty(t, open(), "the next block is news")
	b.deposit(row, "late", "1", 2)
	b.look(t)
	require.Equal(t, []string{row.ID}, open(), "nothing answers the deposit yet")
	b.send(t, b.advance(t, row.ID))
	b.mine(t, row.ID)
	b.advance(t, row.ID)
	require.Empty(t, open())
}

// TestCheckThatWasSupersededChangesNothing lets a watcher that was presumed dead write
// its scan after another watcher has scanned. The stored facts do not go back.
func TestCheckThatWasSupersededChangesNothing(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row := b.create(t, b.request("1"))
	b.deposit(row, "deposit", "1", 0)
	b.xmr.listed = func() {
		b.deposit(row, "deposit", "1", 2)
		require.NoError(t, b.scan(t, "xmr"))
	}
	require.Error(t, b.scan(t, "xmr"))
	deposits, err := b.store.TradeDeposits(t.Context(), row.ID)
	require.NoError(t, err)
	require.Len(t, deposits, 1)
	require.EqualValues(t, 2, deposits[0].Confirmations)
	require.Equal(t, trade.Processing, b.advance(t, row.ID).Status)
}

// TestSentPaymentOfAWalletThatIsNotConfiguredIsShown takes the configuration of
// a wallet away after it has paid.
func TestSentPaymentOfAWalletThatIsNotConfiguredIsShown(t *testing.T) {
	t.Parallel()
	b := bureauOf(t)
	row, task := b.ready(t)
	require.NoError(t, b.payments.SendTradePayment(t.Context(), task))
	b.advance(t, row.ID)
	ltc := b.payments.Wallets["ltc"]
	delete(b.payments.Wallets, "ltc")
	require.Error(t, b.payments.CheckTradePayments(t.Context(), trades.TradeTask{TradeID: row.ID}))
	require.Equal(t, []string{alert.TradePaymentStuck}, b.alerts(t))
	b.payments.Wallets["ltc"] = ltc
	b.mine(t, row.ID)
	require.Equal(t, trade.Completed, b.advance(t, row.ID).Status)
	require.Empty(t, b.alerts(t))
}
