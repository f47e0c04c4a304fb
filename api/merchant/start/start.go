package start

import (
	"context"
	"errors"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/internal/charge"
	"github.com/durapay/durapay/internal/starter"
	"github.com/durapay/durapay/internal/swap"
	"github.com/durapay/durapay/workflows"
)

// These are the times that a client waits for the first result of a workflow. The workflow
// continues after the wait ends.
const (
	shortWait = 15 * time.Second
	sweepWait = 60 * time.Second
	// orderWait is a little longer than a provider may take to answer. pollWait is how long a
	// merchant waits for a provider's current state.
	orderWait = 45 * time.Second
	pollWait  = 10 * time.Second
)

// Workflows starts workflows. A method that waits for a result makes one update-with-start: it
// starts the workflow, unless it runs already, and waits for the result of the update. The error
// of a refusal contains an application error of a Refused type.
type Workflows struct {
	Client client.Client
	// Patience is the minimum time that a client waits. 0 means the default times.
	Patience time.Duration
	// MakeCharge inserts a charge and its outbox row, and returns the charge. It returns refusals
	// and faults.
	MakeCharge func(ctx context.Context, in workflows.CreateCharge) (charge.Charge, error)
	// Starts starts the workflows of outbox rows; nil leaves that to the workers.
	Starts *starter.Queue
	// Eager lets a worker of this process run the first task of a workflow that it starts, if it
	// has a free slot. Temporal then puts that task in no queue, so tasks that arrive after many
	// starts, such as a payment's signal, do not wait behind first tasks. It must be off for
	// versioned workers, because Temporal chooses among those.
	Eager bool
	Clock func() time.Time
}

// run is a workflow that an update starts, unless it is already running.
type run struct {
	options         client.StartWorkflowOptions
	workflow, input any
}

// Sweep sends a payout. When it returns, the daemon has the transaction.
func (e Workflows) Sweep(ctx context.Context, in workflows.PayoutInput) error {
	op := run{client.StartWorkflowOptions{
		ID: workflows.PayoutWorkflowID(in.PayoutID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(in.MerchantID)),
	}, workflows.Payout, in}
	return e.first(ctx, sweepWait, op, workflows.SweepUpdate)
}

// CreateSwap orders a swap. When it returns, the swap is in the database. A second call
// meanwhile waits for the same order.
func (e Workflows) CreateSwap(ctx context.Context, in workflows.SwapInput, req workflows.CreateSwap) error {
	return e.first(ctx, orderWait, swapRun(in), workflows.CreateSwapUpdate, req)
}

// PollSwap asks the provider of a swap for its state now. If no workflow follows the swap,
// PollSwap starts one.
func (e Workflows) PollSwap(ctx context.Context, in workflows.SwapInput) error {
	return e.first(ctx, pollWait, swapRun(in), workflows.PollSwapUpdate)
}

func swapRun(in workflows.SwapInput) run {
	return run{client.StartWorkflowOptions{
		ID: workflows.SwapWorkflowID(in.SwapID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: temporal.NewSearchAttributes(
			workflows.MerchantIDKey.ValueSet(in.MerchantID), workflows.SwapStatusKey.ValueSet(string(swap.Waiting)),
		),
	}, workflows.Swap, in}
}

// AcceptUnderpaid confirms a charge with the amount received so far. When it returns, the charge
// is confirmed. If the charge's workflow has ended, a short run starts.
func (e Workflows) AcceptUnderpaid(ctx context.Context, chargeID string) error {
	return e.first(ctx, shortWait, chargeRun(chargeID), workflows.AcceptUpdate)
}

// Mark records the merchant's mark of a charge. When it returns, the charge is marked. If the
// charge's workflow has ended, a short run starts.
func (e Workflows) Mark(ctx context.Context, chargeID string, mark charge.Mark) error {
	return e.first(ctx, shortWait, chargeRun(chargeID), workflows.MarkUpdate, mark)
}

func chargeRun(chargeID string) run {
	return run{client.StartWorkflowOptions{
		ID: workflows.ChargeWorkflowID(chargeID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.Charge, workflows.ChargeInput{ChargeID: chargeID}}
}

// Ping creates a test delivery. When it returns, the delivery is in the database.
func (e Workflows) Ping(ctx context.Context, deliveryID string, ping workflows.Ping) error {
	in := workflows.DeliveryToMerchant(deliveryID)
	in.Again = true
	op := run{client.StartWorkflowOptions{
		ID: in.WorkflowID(), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(ping.MerchantID)),
		Priority:                 workflows.TurnOf(ping.MerchantID),
	}, workflows.Delivery, in}
	return e.first(ctx, shortWait, op, workflows.PingUpdate, ping)
}

// Redeliver reopens a finished delivery. When it returns, the delivery is pending. Clients may
// see its errors.
func (e Workflows) Redeliver(ctx context.Context, merchantID, deliveryID string) error {
	in := workflows.DeliveryToMerchant(deliveryID)
	in.Again = true
	op := run{client.StartWorkflowOptions{
		ID: in.WorkflowID(), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(merchantID)),
		Priority:                 workflows.TurnOf(merchantID),
	}, workflows.Delivery, in}
	err := e.first(ctx, shortWait, op, workflows.RedeliverUpdate)
	var app *temporal.ApplicationError
	if errors.As(err, &app) && answer.RefusalOf(err) == nil {
		// The run that finished the delivery has not closed yet and does not know this update.
		return answer.BadRequest("the delivery is still being attempted")
	}
	return err
}

// RetryDelivery signals a delivery that waits for its next attempt to make it now. The
// delivery's row is already due, so a new run makes the attempt too if Temporal has lost the
// workflow.
func (e Workflows) RetryDelivery(ctx context.Context, merchantID, deliveryID string) error {
	ctx, cancel := context.WithTimeout(ctx, max(shortWait, e.Patience))
	defer cancel()
	in := workflows.DeliveryToMerchant(deliveryID)
	_, err := e.Client.SignalWithStartWorkflow(ctx, in.WorkflowID(), workflows.RetrySignal, nil, client.StartWorkflowOptions{
		ID: in.WorkflowID(), TaskQueue: workflows.MerchantQueue,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes: temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(merchantID)),
		Priority:              workflows.TurnOf(merchantID),
	}, workflows.Delivery, in)
	return err
}

// Mail starts the workflow of a mail about a row that is about to be inserted. id is the row's
// identifier, and the workflow waits for the row. Because it starts first, a crash cannot leave
// a row without its mail. merchantID is empty if the recipient is not known yet.
func (e Workflows) Mail(ctx context.Context, merchantID, id string) error {
	ctx, cancel := context.WithTimeout(ctx, max(shortWait, e.Patience))
	defer cancel()
	options := client.StartWorkflowOptions{
		ID: workflows.MailWorkflowID(id), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}
	if merchantID != "" {
		options.TypedSearchAttributes = temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(merchantID))
	}
	_, err := e.Client.ExecuteWorkflow(ctx, options, workflows.Mail, workflows.MailInput{VerificationID: id})
	return err
}

// CreateRefund creates a refund. When it returns, the refund is in the database.
func (e Workflows) CreateRefund(ctx context.Context, in workflows.RefundInput, req workflows.CreateRefund) error {
	return e.first(ctx, shortWait, refundRun(in), workflows.CreateRefundUpdate, req)
}

// ClaimRefund takes a claim and returns its identifier. If the same was claimed earlier, it
// returns the identifier of that claim.
func (e Workflows) ClaimRefund(ctx context.Context, in workflows.RefundInput, req workflows.ClaimRefund) (string, error) {
	in.Resume = true
	var made workflows.ClaimedRefund
	err := e.firstInto(ctx, shortWait, refundRun(in), &made, workflows.ClaimRefundUpdate, req)
	return made.ClaimID, err
}

// ApproveRefund approves claims that wait for approval.
func (e Workflows) ApproveRefund(ctx context.Context, in workflows.RefundInput, req workflows.ChangeRefund) error {
	in.Resume = true
	return e.first(ctx, shortWait, refundRun(in), workflows.ApproveRefundUpdate, req)
}

// CancelRefund ends a refund, or withdraws one of its claims.
func (e Workflows) CancelRefund(ctx context.Context, in workflows.RefundInput, req workflows.ChangeRefund) error {
	in.Resume = true
	return e.first(ctx, shortWait, refundRun(in), workflows.CancelRefundUpdate, req)
}

func refundRun(in workflows.RefundInput) run {
	return run{client.StartWorkflowOptions{
		ID: workflows.RefundWorkflowID(in.RefundID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(in.MerchantID)),
	}, workflows.Refund, in}
}

func (e Workflows) first(ctx context.Context, wait time.Duration, op run, update string, args ...any) error {
	return e.firstInto(ctx, wait, op, nil, update, args...)
}

func (e Workflows) firstInto(ctx context.Context, wait time.Duration, op run, result any, update string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, max(wait, e.Patience))
	defer cancel()
	for pause := firstPause; ; pause *= 2 {
		err := e.ask(ctx, op, result, update, args...)
		if _, lost := errors.AsType[*serviceerror.WorkflowNotReady](err); !lost {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// firstPause is the wait before a lost update is repeated. It doubles each time.
const firstPause = 50 * time.Millisecond

// ask sends an update once. Temporal drops the update with WorkflowNotReady if another event
// reaches the run while it is completing with that update: Temporal then repeats the run's last
// decision without the update. Steps that the update has already made may be made twice, which
// is safe, as for all steps.
func (e Workflows) ask(ctx context.Context, op run, result any, update string, args ...any) error {
	handle, err := e.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: e.Client.NewWithStartWorkflowOperation(op.options, op.workflow, op.input),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateName: update, Args: args, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, result)
}
