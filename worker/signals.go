package worker

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/durapay/durapay/workflows"
)

// Signals notifies workflows of changes in the chain.
type Signals struct {
	Temporal client.Client
}

// Charge signals a charge that its facts changed. If its workflow has ended, for example
// after an expiry, the signal starts a new run under the same ID.
func (s Signals) Charge(ctx context.Context, chargeID string) error {
	id := workflows.ChargeWorkflowID(chargeID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, id, workflows.PaymentsSignal, nil, client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.MerchantQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.Charge, workflows.ChargeInput{ChargeID: chargeID})
	return err
}

// Payout signals a payout that was sent that the chain grew. If its workflow has ended,
// the signal starts a new run under the same ID: a reorganization may have dropped a
// confirmed transaction.
func (s Signals) Payout(ctx context.Context, payoutID, merchantID string) error {
	options, in := ResumePayout(payoutID, merchantID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, options.ID, workflows.BlockSignal, nil, options, workflows.Payout, in)
	return err
}

// Refund signals a refund that money for its claims may have come. If its workflow was
// lost with Temporal's memory, the signal starts a new run under the same ID.
func (s Signals) Refund(ctx context.Context, refundID, merchantID string) error {
	options, in := ResumeRefund(refundID, merchantID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, options.ID, workflows.FundsSignal, nil, options, workflows.Refund, in)
	return err
}

// Trade signals a trade that its facts changed. If its workflow has ended, the signal
// starts a new run under the same ID.
func (s Signals) Trade(ctx context.Context, tradeID string) error {
	id := workflows.TradeWorkflowID(tradeID)
	_, err := s.Temporal.SignalWithStartWorkflow(ctx, id, workflows.DepositsSignal, nil, client.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.ExchangeQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.Trade, workflows.TradeInput{TradeID: tradeID, Resume: true})
	return err
}
