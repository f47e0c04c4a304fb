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

// How long a client waits for the first result of a workflow. What was begun
// goes on when the wait ends.
const (
	shortWait = 15 * time.Second
	sweepWait = 60 * time.Second
	// orderWait is a little more than a provider may take to answer, pollWait what
	// a merchant waits for news of one.
	orderWait = 45 * time.Second
	pollWait  = 10 * time.Second
)

// Workflows starts workflows. Each call is one update-with-start: it starts the
// workflow and waits for what it has to say first. The error of a refusal
// holds an application error of a Refused type.
type Workflows struct {
	Client client.Client
	// Patience is the least that a client waits; 0 leaves it at what is usual.
	Patience time.Duration
	// MakeCharge writes a charge with the wish for its workflow, and returns it. Its errors
	// are refusals, or faults.
	MakeCharge func(ctx context.Context, in workflows.CreateCharge) (charge.Charge, error)
	// Starts starts what was written; nil leaves it to the workers.
	Starts *starter.Queue
	// Eager has a worker of this process do the first task of what it starts, while it has
	// room: Temporal puts it in no queue, so what comes after many starts, as news of a
	// payment, does not wait behind their first tasks. Not for versioned workers: Temporal
	// chooses among those.
	Eager bool
	Clock func() time.Time
}

// run is a workflow that an update starts, unless it runs already.
type run struct {
	options         client.StartWorkflowOptions
	workflow, input any
}

// Sweep sends a payout; its transaction is with the daemon when this returns.
func (e Workflows) Sweep(ctx context.Context, in workflows.PayoutInput) error {
	op := run{client.StartWorkflowOptions{
		ID: workflows.PayoutWorkflowID(in.PayoutID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.MerchantIDKey.ValueSet(in.MerchantID)),
	}, workflows.Payout, in}
	return e.first(ctx, sweepWait, op, workflows.SweepUpdate)
}

// CreateSwap orders a swap; it is in the database when this returns. Whoever
// asks again meanwhile waits for the same order.
func (e Workflows) CreateSwap(ctx context.Context, in workflows.SwapInput, req workflows.CreateSwap) error {
	return e.first(ctx, orderWait, swapRun(in), workflows.CreateSwapUpdate, req)
}

// PollSwap has the provider of a swap asked now. A swap that nobody follows is
// followed from now on.
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

// AcceptUnderpaid confirms a charge with what has come; it is confirmed when
// this returns. A charge whose workflow has ended gets a short run.
func (e Workflows) AcceptUnderpaid(ctx context.Context, chargeID string) error {
	return e.first(ctx, shortWait, chargeRun(chargeID), workflows.AcceptUpdate)
}

// Mark writes what the merchant says of a charge; it is marked when this returns.
// A charge whose workflow has ended gets a short run.
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

// Ping makes a test delivery; it is in the database when this returns.
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

// Redeliver opens a finished delivery again; it is pending when this returns. Its
// errors are meant to be shown.
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
		// The run that ended the delivery has not closed yet and knows no update.
		return answer.BadRequest("the delivery is still being attempted")
	}
	return err
}

// RetryDelivery has a delivery that waits for its next attempt make it now. Its row says
// so already, for a new run where Temporal has lost the workflow.
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

// Mail begins the mail of something that is about to be written, by its ID: the
// workflow waits for it. Started first, no crash leaves it without its mail.
// merchantID is empty where it is not known whom the mail is for.
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

// CreateRefund makes a refund; it is in the database when this returns.
func (e Workflows) CreateRefund(ctx context.Context, in workflows.RefundInput, req workflows.CreateRefund) error {
	return e.first(ctx, shortWait, refundRun(in), workflows.CreateRefundUpdate, req)
}

// ClaimRefund takes a claim and returns its identifier: that of an earlier one where the
// same was claimed before.
func (e Workflows) ClaimRefund(ctx context.Context, in workflows.RefundInput, req workflows.ClaimRefund) (string, error) {
	in.Resume = true
	var made workflows.ClaimedRefund
	err := e.firstInto(ctx, shortWait, refundRun(in), &made, workflows.ClaimRefundUpdate, req)
	return made.ClaimID, err
}

// ApproveRefund lets claims that wait for it be paid.
func (e Workflows) ApproveRefund(ctx context.Context, in workflows.RefundInput, req workflows.ChangeRefund) error {
	in.Resume = true
	return e.first(ctx, shortWait, refundRun(in), workflows.ApproveRefundUpdate, req)
}

// CancelRefund ends a refund, or takes one of its claims back.
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

// firstPause is before an update is sent again that was lost, and is doubled each time.
const firstPause = 50 * time.Millisecond

// ask sends an update once. It is lost, with the error WorkflowNotReady, when something
// else came to the run just as it was about to end with that update: Temporal then lets
// the run decide again, and forgets the update. What it did until then may be done
// twice, as all steps.
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
