package worker

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/workflows"
)

// Signals tells workflows what the chain shows.
type Signals struct {
	Temporal client.Client
}

// Charge tells a charge that its facts changed. When its workflow has ended,
// as after an expiry, a new run under the same ID takes the news.
func (s Signals) Charge(ctx context.Context, chargeID string) error {
	id := workflows.ChargeWorkflowID(chargeID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, id, workflows.PaymentsSignal, nil, client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.MerchantQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.Charge, workflows.ChargeInput{ChargeID: chargeID})
	return err
}

// Payout tells a payout that was sent that the chain grew. When its workflow has
// ended, as after a reorganization took back what was confirmed, a new run under
// the same ID looks after it.
func (s Signals) Payout(ctx context.Context, payoutID, merchantID string) error {
	options, in := ResumePayout(payoutID, merchantID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, options.ID, workflows.BlockSignal, nil, options, workflows.Payout, in)
	return err
}

// Refund tells a refund that what its claims wait for may have come. When its workflow
// was lost with Temporal's memory, a new run under the same ID takes the news.
func (s Signals) Refund(ctx context.Context, refundID, merchantID string) error {
	options, in := ResumeRefund(refundID, merchantID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, options.ID, workflows.FundsSignal, nil, options, workflows.Refund, in)
	return err
}

// Trade tells a trade that its facts changed. When its workflow has ended, a
// new run under the same ID takes the news.
func (s Signals) Trade(ctx context.Context, tradeID string) error {
	id := workflows.TradeWorkflowID(tradeID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, id, workflows.DepositsSignal, nil, client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.ExchangeQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	return err
}
