package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/testsuite"

	"github.com/durapay/durapay/activities/exchangepayments"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// tradeScript is a run of Trade whose activities answer as planned.
type tradeScript struct {
	// asked says that the creation comes with the run, and late that it comes while
	// the run looks for the first time; created is what comes of it.
	asked, late bool
	created     error
	// upstream says that another provider fills the trade, and gone that it is removed
	// before that provider is asked.
	upstream, gone bool
	// looks are the outcomes of the looks, the last one for ever; empty for a trade
	// that is missing.
	looks []trade.Status
	// signal says that news of a deposit comes while the run looks for the first
	// time, and after when else it comes; 0 for never.
	signal bool
	after  time.Duration
	resume bool
	// phase is where the run ends, looked how often it looked.
	phase  string
	looked int
	// told is what the creation is told: the code of a refusal, or nothing.
	told string
}

// TestEachStepOfATradeIsTaken lets runs take every step that the table has.
func TestEachStepOfATradeIsTaken(t *testing.T) {
	t.Parallel()
	const missing = trade.Status("")
	refused := refusedAs(refusals.Route)
	all := walked{}
	for name, script := range map[string]tradeScript{
		"paid in time":                     {asked: true, after: time.Minute, looks: []trade.Status{trade.Completed}, phase: "over", looked: 1},
		"never paid":                       {asked: true, looks: []trade.Status{trade.Expired}, phase: "over", looked: 1},
		"filled by another":                {asked: true, upstream: true, phase: "over"},
		"gone before it is asked about":    {asked: true, upstream: true, gone: true, phase: "none"},
		"refused":                          {asked: true, created: refused, phase: "none", told: refusals.Route},
		"made, and not heard of":           {asked: true, created: fault(), looks: []trade.Status{trade.Expired}, phase: "over", looked: 1},
		"not made, and not heard of":       {asked: true, created: fault(), looks: []trade.Status{missing}, phase: "none", looked: 1, told: refusals.Route},
		"ordered, and not heard of":        {asked: true, created: fault(), upstream: true, looks: []trade.Status{trade.Confirming}, phase: "over", looked: 1},
		"never asked for":                  {looks: []trade.Status{missing}, phase: "none", looked: 1},
		"news while it ends":               {resume: true, signal: true, looks: []trade.Status{trade.Expired}, phase: "over", looked: 2},
		"news of a trade that is gone":     {resume: true, signal: true, looks: []trade.Status{missing}, phase: "none", looked: 2},
		"asked for late":                   {late: true, looks: []trade.Status{missing, trade.Expired}, phase: "over", looked: 2},
		"asked for late, of another":       {late: true, upstream: true, looks: []trade.Status{missing}, phase: "over", looked: 1},
		"asked for late, and refused":      {late: true, created: refused, looks: []trade.Status{missing}, phase: "none", looked: 1, told: refusals.Route},
		"asked for late, and not heard of": {late: true, created: fault(), looks: []trade.Status{missing, trade.Expired}, phase: "over", looked: 2},
	} {
		env := environment(all)
		outcomes := script.run(t, env)
		requireEnded(t, env)
		require.Equal(t, script.phase, phaseOf(t, env), name)
		require.Zero(t, script.looked, name)
		if script.asked || script.late {
			require.Len(t, outcomes, 1, name)
			code, refused := refusals.Of(outcomes[0])
			require.Equal(t, script.told, code, name)
			require.Equal(t, refused, outcomes[0] != nil, "%s: a fault is no answer", name)
		}
	}
	all.requireWhole(t, workflows.TradeRows())
}

// run returns what the creation was told.
func (s *tradeScript) run(t *testing.T, env *testsuite.TestWorkflowEnvironment) (outcomes []error) {
	t.Helper()
	env.RegisterActivity(&trades.Handler{})
	env.RegisterActivity(&exchangepayments.Handler{})
	made := trades.TradeState{Status: trade.AwaitingDeposit, ExpiresAt: env.Now().Add(time.Hour), Upstream: s.upstream}
	came := make(chan struct{})
	env.OnActivity("CreateTrade", mock.Anything, mock.Anything).Return(made, s.created).Maybe()
	env.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(func(context.Context, trades.AdvanceTrade) (trades.TradeState, error) {
		if s.late {
			<-came
		}
		found := made
		found.Status = s.looks[0]
		s.looks, s.looked = s.looks[min(1, len(s.looks)-1):], s.looked-1
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
	callback := answered(t, &outcomes)
	create := func() { env.UpdateWorkflow(workflows.CreateTradeUpdate, "1", callback, workflows.CreateTrade{}) }
	signal := func() { env.SignalWorkflow(workflows.DepositsSignal, nil) }
	if s.asked {
		env.RegisterDelayedCallback(create, 0)
	}
	if s.after > 0 {
		env.RegisterDelayedCallback(signal, s.after)
	}
	env.SetOnLocalActivityStartedListener(duringFirst("AdvanceTrade", func() {
		if s.signal {
			signal()
		}
		if s.late {
			callback.OnAccept = func() { close(came) }
			create()
		}
	}))
	env.ExecuteWorkflow(workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: s.resume})
	return outcomes
}

// An operator who asks a run that ends, because there is no such trade or
// because another provider has filled it, hears what came of it.
func TestNoOperatorIsCutOffByTheEndOfARun(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]error{"missing": refusedAs(refusals.Missing), "closed": nil} {
		env := environment()
		env.RegisterActivity(&trades.Handler{})
		env.RegisterActivity(&exchangepayments.Handler{})
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
	env.RegisterActivity(&exchangepayments.Handler{})
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
