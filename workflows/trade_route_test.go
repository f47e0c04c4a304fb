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

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// orderBook stands for the database and a provider. It defines what the provider does with
// an order, and what it answers later.
type orderBook struct {
	refuses error
	tried   int
	says    []trades.TradeState
	checks  []time.Time
	// gone is set if the database has no trade after an order that failed.
	gone bool
}

func (b *orderBook) environment(t *testing.T) *testsuite.TestWorkflowEnvironment {
	t.Helper()
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("PlaceOrder", mock.Anything, mock.Anything).Return(func(_ context.Context, in trades.PlaceOrder) error {
		require.Equal(t, tradeID, in.TradeID)
		require.False(t, in.Now.IsZero())
		b.tried++
		return b.refuses
	}).Maybe()
	env.OnActivity("FollowTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.TradeTask) (trades.TradeState, error) {
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
		if b.gone {
			return trades.TradeState{}, refusedAs(refusals.Missing)
		}
		return trades.TradeState{Status: trade.AwaitingDeposit, Upstream: true}, nil
	}).Maybe()
	return env
}

// ask orders the trade at once; the result gets the outcome.
func (b *orderBook) ask(env *testsuite.TestWorkflowEnvironment) *error {
	outcome := errors.New("no answer")
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.PlaceOrderUpdate, "1", &testsuite.TestUpdateCallback{
			OnAccept: func() {}, OnReject: func(err error) { outcome = err },
			OnComplete: func(_ any, err error) { outcome = err },
		}, workflows.PlaceOrder{})
	}, 0)
	return &outcome
}

func refusedAs(reason string) error {
	return temporal.NewNonRetryableApplicationError("refused", reason, nil)
}

func TestRefusedOrderLeavesNothingRunning(t *testing.T) {
	t.Parallel()
	for _, reason := range []string{refusals.Route, refusals.Blocked} {
		b := &orderBook{refuses: refusedAs(reason)}
		env := b.environment(t)
		outcome := b.ask(env)
		env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
		requireEnded(t, env)
		require.True(t, refusals.Is(*outcome, reason), "%v", *outcome)
		require.Equal(t, 1, b.tried)
	}
}

func TestTradeIsFollowedThroughAnOutage(t *testing.T) {
	t.Parallel()
	b := &orderBook{}
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

// TestOrderedTradeWhoseAnswerWasLostIsFollowed lets the worker's answers be lost until
// Temporal gives the order up. If the trade was written, the client gets it.
func TestOrderedTradeWhoseAnswerWasLostIsFollowed(t *testing.T) {
	t.Parallel()
	for _, gone := range []bool{false, true} {
		b := &orderBook{refuses: fault(), says: []trades.TradeState{{Status: trade.Completed, Closed: true}}, gone: gone}
		env := b.environment(t)
		outcome := b.ask(env)
		env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID})
		requireEnded(t, env)
		require.Equal(t, gone, refusals.Is(*outcome, refusals.Route), "%v", *outcome)
		if !gone {
			require.NoError(t, *outcome)
			require.Empty(t, b.says, "the provider was asked until the end")
		}
	}
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
