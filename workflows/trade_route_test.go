package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// orderBook stands for the database and the providers. It defines what each provider does
// with an order, and what the provider that took it answers later.
type orderBook struct {
	routes  []trades.PlannedRoute
	refuses map[string]error
	tried   []string
	says    []trades.TradeState
	checks  []time.Time
	// written is set if the database has the trade after an order that failed.
	written bool
}

func (b *orderBook) environment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("PlanRoutes", mock.Anything, mock.Anything).Return(func(context.Context, trades.PlanRoutes) (trades.RoutePlan, error) {
		return trades.RoutePlan{Routes: b.routes}, b.refuses["plan"]
	}).Maybe()
	env.OnActivity("CreateTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.CreateTrade) (trades.TradeState, error) {
		b.tried = append(b.tried, "durapay")
		return trades.TradeState{Status: trade.Expired}, b.refuses["durapay"]
	}).Maybe()
	env.OnActivity("PlaceOrder", mock.Anything, mock.Anything).Return(func(_ context.Context, in trades.PlaceOrder) (trades.TradeState, error) {
		b.tried = append(b.tried, in.Route.Provider)
		return trades.TradeState{Status: trade.AwaitingDeposit, Upstream: true}, b.refuses[in.Route.Provider]
	}).Maybe()
	env.OnActivity("FollowTrade", mock.Anything, mock.Anything).Return(func(context.Context, tasks.Trade) (trades.TradeState, error) {
		b.checks = append(b.checks, env.Now())
		if b.says[0].Status == "" {
			b.says = b.says[1:]
			return trades.TradeState{}, errors.New("away")
		}
		state := b.says[0]
		state.Upstream = true
		b.says = b.says[1:]
		return state, nil
	}).Maybe()
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.AdvanceTrade) (trades.TradeState, error) {
		if !b.written {
			return trades.TradeState{}, refusedAs(refusals.Missing)
		}
		return trades.TradeState{Status: trade.AwaitingDeposit, Upstream: true}, nil
	}).Maybe()
	return env
}

// ask makes the trade at once; the channel gets the outcome.
func (b *orderBook) ask(env *testsuite.TestWorkflowEnvironment) *error {
	outcome := errors.New("no answer")
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.CreateTradeUpdate, "1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { outcome = err },
			OnComplete: func(_ any, err error) { outcome = err },
		}, workflows.CreateTrade{AmountFrom: money.MustDecimal("1"), Upstream: true})
	}, 0)
	return &outcome
}

func refusedAs(reason string) error {
	return temporal.NewNonRetryableApplicationError("refused", reason, nil)
}

func TestTradeFallsBackToTheNextRoute(t *testing.T) {
	t.Parallel()
	b := &orderBook{
		routes:  []trades.PlannedRoute{{Provider: "one"}, {Provider: "durapay", Own: true}, {Provider: "two"}, {Provider: "three"}},
		refuses: map[string]error{"one": refusedAs(refusals.Route), "durapay": refusedAs(refusals.Stale)},
		says:    []trades.TradeState{{Status: trade.Completed, Closed: true}},
	}
	env := b.environment(t)
	outcome := b.ask(env)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.NoError(t, *outcome)
	require.Equal(t, []string{"one", "durapay", "two"}, b.tried)
}

func TestTradeIsRefusedWhenNoRouteTakesIt(t *testing.T) {
	t.Parallel()
	for reason, tried := range map[string][]string{
		refusals.Route: {"one", "two"}, refusals.Blocked: {"one"},
	} {
		b := &orderBook{
			routes:  []trades.PlannedRoute{{Provider: "one"}, {Provider: "two"}},
			refuses: map[string]error{"one": refusedAs(reason), "two": refusedAs(reason)},
		}
		env := b.environment(t)
		outcome := b.ask(env)
		env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
		requireEnded(t, env)
		var app *temporal.ApplicationError
		require.ErrorAs(t, *outcome, &app)
		require.Equal(t, reason, app.Type())
		require.Equal(t, tried, b.tried, "a listed address is listed on every route")
	}
}

func TestTradeIsRefusedWithoutRoutes(t *testing.T) {
	t.Parallel()
	b := &orderBook{refuses: map[string]error{"plan": refusedAs(refusals.Limits)}}
	env := b.environment(t)
	outcome := b.ask(env)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.ErrorContains(t, *outcome, "refused")
	require.Empty(t, b.tried)
}

func TestTradeIsFollowedThroughAnOutage(t *testing.T) {
	t.Parallel()
	b := &orderBook{routes: []trades.PlannedRoute{{Provider: "one"}}}
	b.says = append(b.says, trades.TradeState{Status: trade.Confirming})
	for range 8 {
		b.says = append(b.says, trades.TradeState{})
	}
	b.says = append(b.says, trades.TradeState{Status: trade.Hold}, trades.TradeState{Status: trade.Expired},
		trades.TradeState{Status: trade.Completed, Closed: true})
	env := b.environment(t)
	b.ask(env)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.Empty(t, b.says, "asked until the provider says that it is over")
	last := len(b.checks) - 1
	require.Equal(t, 10*time.Minute, b.checks[last-2].Sub(b.checks[last-3]).Round(time.Second), "longer and longer pauses, at most ten minutes")
	require.Equal(t, 2*time.Minute, b.checks[last-1].Sub(b.checks[last-2]).Round(time.Second), "a held trade ends by itself or by people")
}

// TestOrderedTradeWhoseAnswerWasLostIsFollowed lets the worker's answers be
// lost after the trade was written, until Temporal gives the order up.
func TestOrderedTradeWhoseAnswerWasLostIsFollowed(t *testing.T) {
	t.Parallel()
	b := &orderBook{
		routes:  []trades.PlannedRoute{{Provider: "one"}, {Provider: "two"}},
		refuses: map[string]error{"one": fault()},
		says:    []trades.TradeState{{Status: trade.Completed, Closed: true}},
		written: true,
	}
	env := b.environment(t)
	outcome := b.ask(env)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
	requireEnded(t, env)
	require.NoError(t, *outcome, "the trade is there")
	require.NotContains(t, b.tried, "two", "one may have the order")
	require.Empty(t, b.says, "the provider was asked until the end")
}

func TestTradeThatIsResumedIsFollowed(t *testing.T) {
	t.Parallel()
	b := &orderBook{says: []trades.TradeState{{Status: trade.Refunded, Closed: true}}}
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(trades.TradeState{Status: trade.Processing, Upstream: true}, nil).Once()
	env.OnActivity("FollowTrade", mock.Anything, mock.Anything).Return(b.says[0], nil).Once()
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	env.AssertExpectations(t)
}
