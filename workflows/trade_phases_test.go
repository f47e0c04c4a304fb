package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// TestEachStepOfATradeIsTaken lets runs take every step that the table has.
func TestEachStepOfATradeIsTaken(t *testing.T) {
	t.Parallel()
	const missing, waits = trade.Status(""), trade.AwaitingDeposit
	refused := refusedAs(refusals.Route)
	all := walked{}
	for name, s := range map[string]script[trade.Status]{
		"paid in time":                     {resume: true, after: time.Minute, looks: []trade.Status{waits, trade.Completed}, phase: "over", looked: 2},
		"never paid":                       {resume: true, looks: []trade.Status{waits, trade.Expired}, phase: "over", looked: 2},
		"filled by another":                {asked: true, upstream: true, looks: []trade.Status{waits}, phase: "over", looked: 1},
		"filled by us meanwhile":           {asked: true, looks: []trade.Status{trade.Expired}, phase: "over", looked: 1},
		"gone before it is asked about":    {asked: true, upstream: true, gone: true, looks: []trade.Status{waits}, phase: "none", looked: 1},
		"filled by us before the order":    {after: time.Second, looks: []trade.Status{trade.Expired}, phase: "over", looked: 1},
		"refused":                          {asked: true, created: refused, phase: "none", refusal: refusals.Route},
		"not ordered, and not heard of":    {asked: true, created: fault(), looks: []trade.Status{missing}, phase: "none", looked: 1, refusal: refusals.Route},
		"ordered, and not heard of":        {asked: true, created: fault(), upstream: true, looks: []trade.Status{trade.Confirming}, phase: "over", looked: 1},
		"never asked for":                  {looks: []trade.Status{missing}, phase: "none", looked: 1},
		"news while it ends":               {resume: true, signal: true, looks: []trade.Status{trade.Expired}, phase: "over", looked: 2},
		"news of a trade that is gone":     {resume: true, signal: true, looks: []trade.Status{missing}, phase: "none", looked: 2},
		"asked for late":                   {late: true, upstream: true, looks: []trade.Status{missing, waits}, phase: "over", looked: 2},
		"asked for late, and refused":      {late: true, created: refused, looks: []trade.Status{missing}, phase: "none", looked: 1, refusal: refusals.Route},
		"asked for late, and not heard of": {late: true, created: fault(), upstream: true, looks: []trade.Status{missing, waits}, phase: "over", looked: 2},
	} {
		t.Run(name, func(t *testing.T) { playTrade(t, environment(all), s) })
	}
	all.requireWhole(t, workflows.PhaseRows("Trade"))
}

func playTrade(t *testing.T, env *testsuite.TestWorkflowEnvironment, s script[trade.Status]) {
	t.Helper()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	made := trades.TradeState{Status: trade.AwaitingDeposit, ExpiresAt: env.Now().Add(time.Hour), Upstream: s.upstream}
	env.OnActivity("PlaceOrder", mock.Anything, mock.Anything).Return(s.created).Maybe()
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.AdvanceTrade) (trades.TradeState, error) {
		found := made
		found.Status = s.look()
		if found.Status == "" {
			return found, refusedAs(refusals.Missing)
		}
		return found, nil
	}).Maybe()
	var lost error
	if s.gone {
		lost = refusedAs(refusals.Missing)
	}
	env.OnActivity("FollowTrade", mock.Anything, mock.Anything).Return(
		trades.TradeState{Status: trade.Completed, Upstream: true, Closed: true}, lost).Maybe()
	outcomes := s.play(t, env, subject{
		create: func(callback *testsuite.TestUpdateCallback) {
			env.UpdateWorkflow(workflows.PlaceOrderUpdate, "1", callback, workflows.PlaceOrder{})
		},
		signal:  func() { env.SignalWorkflow(workflows.DepositsSignal, nil) },
		advance: "AdvanceTrade",
		begin: func() {
			env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: s.resume})
		},
	})
	for _, outcome := range outcomes {
		code, refused := refusals.Of(outcome)
		require.Equal(t, s.refusal, code)
		require.Equal(t, refused, outcome != nil, "a fault is no answer")
	}
}

// An operator gets the outcome of a request to a run that ends, because there is no such
// trade or because another provider has filled it.
func TestNoOperatorIsCutOffByTheEndOfARun(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]error{"missing": refusedAs(refusals.Missing), "closed": nil} {
		env := environment()
		env.RegisterActivity(&trades.Handler{})
		env.RegisterActivity(&trades.Payments{})
		env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(
			trades.TradeState{Status: trade.Completed, Upstream: true, Closed: true}, found)
		env.OnActivity("EndTrade", mock.Anything, mock.Anything).Return(refusedAs(refusals.TradePayment)).After(time.Second).Once()
		var outcomes []error
		env.RegisterDelayedCallback(func() {
			env.UpdateWorkflow(workflows.EndTradeUpdate, "1", answered(t, &outcomes), workflows.EndTrade{})
		}, 0)
		env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
		requireEnded(t, env)
		require.Len(t, outcomes, 1, name)
		require.ErrorContains(t, outcomes[0], "refused", name)
	}
}

// While a provider is away for hours, an operator is answered.
func TestOperatorIsAnsweredWhileAProviderIsAway(t *testing.T) {
	t.Parallel()
	env := environment()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&trades.Payments{})
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(trades.TradeState{Status: trade.Processing, Upstream: true}, nil).Once()
	env.OnActivity("FollowTrade", mock.Anything, mock.Anything).Return(
		trades.TradeState{Status: trade.Completed, Upstream: true, Closed: true}, nil).After(5 * time.Hour).Once()
	env.OnActivity("EndTrade", mock.Anything, mock.Anything).Return(refusedAs(refusals.TradePayment)).Once()
	var outcomes []error
	begun := env.Now()
	callback := answered(t, &outcomes)
	callback.OnComplete = func(_ any, err error) {
		outcomes = append(outcomes, err)
		require.Less(t, env.Now().Sub(begun), 2*time.Hour)
	}
	env.RegisterDelayedCallback(func() {
		env.UpdateWorkflow(workflows.EndTradeUpdate, "1", callback, workflows.EndTrade{})
	}, time.Hour)
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	requireEnded(t, env)
	require.Len(t, outcomes, 1)
}
