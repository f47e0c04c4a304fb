package workflows_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/payouts"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/payout"
	"github.com/durapay/durapay/internal/provider"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/refusals"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/workflows"
)

// waitingRun is a run that waits for an hour or longer, and an update of it that
// changes nothing.
type waitingRun struct {
	env      *testsuite.TestWorkflowEnvironment
	workflow any
	input    any
	// next is the input of the next run.
	next   any
	update string
	arg    any
	refuse string
}

func waitingRuns(t *testing.T) map[string]waitingRun {
	t.Helper()
	claimed, sent := refundEnvironment(t), payoutEnvironment(t)
	traded, upstream := swapEnvironment(t, &swapBook{}), swapEnvironment(t, &swapBook{})
	late := claimed.Now().Add(24 * time.Hour)

	claimed.OnActivity("AdvanceRefund", mock.Anything, mock.Anything).Return(payouts.RefundState{MerchantID: "m", Status: refund.Open, NextAt: &late}, nil)
	claimed.OnActivity("ClaimRefund", mock.Anything, mock.Anything).Return(payouts.ClaimedRefund{}, refusedAs(refusals.Refund))

	sent.OnActivity("FindPayout", mock.Anything, mock.Anything).Return(payouts.FoundPayout{Status: payout.Broadcast}, nil)
	sent.OnActivity("CheckPayout", mock.Anything, mock.Anything).Return(payouts.Depth{}, nil)
	sent.OnActivity("ReleasePayout", mock.Anything, mock.Anything).Return(refusedAs(refusals.Release))

	waits := trades.TradeState{Status: trade.AwaitingDeposit, ExpiresAt: late}
	traded.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(waits, nil)
	waits.Upstream = true
	upstream.OnActivity("AdvanceTrade", mock.Anything, mock.Anything).Return(waits, nil)
	for _, env := range []*testsuite.TestWorkflowEnvironment{traded, upstream} {
		env.OnActivity("EndTrade", mock.Anything, mock.Anything).Return(refusedAs(refusals.TradePayment))
	}

	swapped := newSwapFixture(t, func(time.Duration) provider.State { return provider.Exchanging })
	swapped.open(swapped.env.Now().Add(-24 * time.Hour))
	swapped.update(6*time.Second, workflows.PollSwapUpdate, "0") // one right after it is answered without the provider

	return map[string]waitingRun{
		"refund": {
			claimed, workflows.Refund, workflows.RefundInput{RefundID: refundID, MerchantID: "m"},
			workflows.RefundInput{RefundID: refundID, MerchantID: "m"}, workflows.ClaimRefundUpdate, workflows.ClaimRefund{}, refusals.Refund,
		},
		"payout": {sent, workflows.Payout, resumed, resumed, workflows.ReleaseUpdate, workflows.ReleasePayout{}, refusals.Release},
		"trade": {
			traded, workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true},
			workflows.TradeInput{TradeID: tradeID, Resume: true}, workflows.EndTradeUpdate, workflows.EndTrade{}, refusals.TradePayment,
		},
		"trade of another provider": {
			upstream, workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true},
			workflows.TradeInput{TradeID: tradeID, Resume: true}, workflows.EndTradeUpdate, workflows.EndTrade{}, refusals.TradePayment,
		},
		"swap": {
			swapped.env, workflows.Swap, workflows.SwapInput{SwapID: swapID, MerchantID: "m", Resume: true},
			workflows.SwapInput{SwapID: swapID, MerchantID: "m", Resume: true}, workflows.PollSwapUpdate, nil, "",
		},
	}
}

// Temporal limits the updates of one run. A waiting run continues in a fresh history as
// soon as Temporal suggests it, even if each update was refused and nothing changed. The
// run answers the update first.
func TestRunsThatWaitAreNotFilledUpByUpdates(t *testing.T) {
	t.Parallel()
	const moment = 7 * time.Second
	for name, run := range waitingRuns(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun, outcome := run.env.Now(), errors.New("not answered")
			run.env.RegisterDelayedCallback(func() {
				args := []any{}
				if run.arg != nil {
					args = append(args, run.arg)
				}
				run.env.UpdateWorkflow(run.update, "1", &testsuite.TestUpdateCallback{
					OnReject: func(err error) { require.NoError(t, err) }, OnAccept: func() {},
					OnComplete: func(_ any, err error) {
						outcome = err
						run.env.SetContinueAsNewSuggested(true) // this update was one too many
					},
				}, args...)
			}, moment)
			run.env.ExecuteWorkflow(run.workflow, run.input)
			var next *workflow.ContinueAsNewError
			require.ErrorAs(t, run.env.GetWorkflowError(), &next)
			require.Equal(t, moment, run.env.Now().Sub(begun).Round(time.Second), "it waits for nothing else")
			if run.refuse == "" {
				require.NoError(t, outcome)
			} else {
				require.True(t, refusals.Is(outcome, run.refuse), outcome)
			}
			want, err := converter.GetDefaultDataConverter().ToPayloads(run.next)
			require.NoError(t, err)
			require.Equal(t, string(want.GetPayloads()[0].GetData()), string(next.Input.GetPayloads()[0].GetData()))
		})
	}
}
