// Package dispatch starts, wakes and asks the workflows of rows. Its table says for each kind
// of rows which workflow follows them.
package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/trade"
	"github.com/durapay/durapay/internal/webhook"
	"github.com/durapay/durapay/workflows"
)

// Row names a row that has a workflow.
type Row struct {
	Kind outbox.Kind
	ID   string
	// MerchantID is empty for a row of the exchange, and if the caller does not know it.
	MerchantID string
	// New is set for a row that was just made, or is being made.
	New bool
	// Input is the input of a new run. If it is nil, the run begins with a look at the row.
	Input any
}

// kind is how the workflow of a kind of rows is started and woken.
type kind struct {
	id       func(rowID string) string
	queue    string
	workflow any
	// input begins a run with a look at the row.
	input func(r Row) any
	// signal has a run look at its row; empty if runs of the kind take none.
	signal string
}

// kinds is the table of all kinds of rows that have workflows.
func kinds() map[outbox.Kind]kind {
	merchant := workflows.DeliveryToMerchant
	partner := func(id string) workflows.DeliveryInput {
		return workflows.DeliveryInput{Receiver: webhook.Partner, ID: id}
	}
	return map[outbox.Kind]kind{
		outbox.Charges: {
			workflows.ChargeWorkflowID, workflows.MerchantQueue, workflows.Charge,
			func(r Row) any { return workflows.ChargeInput{ChargeID: r.ID} }, workflows.PaymentsSignal,
		},
		outbox.Payouts: {
			workflows.PayoutWorkflowID, workflows.MerchantQueue, workflows.Payout,
			func(r Row) any { return workflows.PayoutInput{PayoutID: r.ID, MerchantID: r.MerchantID, Resume: true} }, workflows.BlockSignal,
		},
		outbox.Refunds: {
			workflows.RefundWorkflowID, workflows.MerchantQueue, workflows.Refund,
			func(r Row) any { return workflows.RefundInput{RefundID: r.ID, MerchantID: r.MerchantID} }, workflows.FundsSignal,
		},
		outbox.Swaps: {
			workflows.SwapWorkflowID, workflows.MerchantQueue, workflows.Swap,
			func(r Row) any { return workflows.SwapInput{SwapID: r.ID, MerchantID: r.MerchantID, Resume: true} }, "",
		},
		outbox.Deliveries: {
			func(id string) string { return merchant(id).WorkflowID() }, workflows.MerchantQueue, workflows.Delivery,
			func(r Row) any { return merchant(r.ID) }, workflows.DueSignal,
		},
		outbox.Mails: {
			workflows.MailWorkflowID, workflows.MerchantQueue, workflows.Mail,
			func(r Row) any { return workflows.MailInput{VerificationID: r.ID} }, "",
		},
		outbox.Trades: {
			workflows.TradeWorkflowID, workflows.ExchangeQueue, workflows.Trade,
			func(r Row) any { return workflows.TradeInput{TradeID: r.ID, Resume: true, Shown: r.New} }, workflows.DepositsSignal,
		},
		outbox.TradeEvents: {
			func(id string) string { return partner(id).WorkflowID() }, workflows.ExchangeQueue, workflows.Delivery,
			func(r Row) any { return partner(r.ID) }, workflows.DueSignal,
		},
	}
}

// RowOf returns the row of a workflow ID. It reports false for workflows that have no row.
func RowOf(workflowID string) (Row, bool) {
	var found Row
	longest := 0
	for name, how := range kinds() {
		prefix := how.id("")
		if len(workflowID) > len(prefix) && workflowID[:len(prefix)] == prefix && len(prefix) > longest {
			found, longest = Row{Kind: name, ID: workflowID[len(prefix):]}, len(prefix)
		}
	}
	return found, longest > 0
}

// Dispatcher starts, wakes and asks the workflows of rows.
type Dispatcher struct {
	Client client.Client
	// Eager lets a worker of this process run the first task of a workflow that it starts, if it
	// has a free slot. Temporal then puts that task in no queue, so tasks that arrive after many
	// starts, such as a payment's signal, do not wait behind first tasks. It must be off for
	// versioned workers, because Temporal chooses among those.
	Eager bool
}

// WorkflowID is the ID of the row's workflow; empty for an unknown kind.
func (r Row) WorkflowID() string {
	how, known := kinds()[r.Kind]
	if !known {
		return ""
	}
	return how.id(r.ID)
}

func (r Row) attributes() []temporal.SearchAttributeUpdate {
	switch {
	case r.MerchantID != "":
		return []temporal.SearchAttributeUpdate{workflows.MerchantIDKey.ValueSet(r.MerchantID)}
	case r.Kind == outbox.Trades && r.New:
		return []temporal.SearchAttributeUpdate{
			workflows.TradeStatusKey.ValueSet(string(trade.AwaitingDeposit)), workflows.StuckKey.ValueSet(false),
		}
	}
	return nil
}

// of returns how the workflow of a row is started: with its input, and a run that is
// running is used. If the last run has ended, another one begins.
func (d Dispatcher) of(r Row) (kind, client.StartWorkflowOptions, any) {
	how := kinds()[r.Kind]
	options := client.StartWorkflowOptions{
		ID: how.id(r.ID), TaskQueue: how.queue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		EnableEagerStart:         d.Eager,
	}
	if r.MerchantID != "" {
		options.Priority = workflows.TurnOf(r.MerchantID)
	}
	options.TypedSearchAttributes = temporal.NewSearchAttributes(r.attributes()...)
	input := r.Input
	if input == nil {
		input = how.input(r)
	}
	return how, options, input
}

// Send sends a wakeup. It starts the workflow of a new charge, and of a kind that takes no
// signal, unless the workflow has finished. It wakes the workflow of any other row. A new
// trade is one of these, because a provider may have been asked first to fill it: then its
// workflow is running, or has ended without a trade.
func (d Dispatcher) Send(ctx context.Context, w outbox.Wakeup) error {
	row := Row{Kind: outbox.Kind(w.Kind), ID: w.ID, New: outbox.IsNew(w)}
	if row.WorkflowID() == "" {
		return fmt.Errorf("the kind %q is of a newer version", w.Kind)
	}
	how := kinds()[row.Kind]
	if how.queue == workflows.MerchantQueue {
		row.MerchantID = w.Owner
	}
	if how.signal != "" && (!row.New || row.Kind != outbox.Charges) {
		return d.Wake(ctx, row)
	}
	_, err := d.Start(ctx, row, UnlessFinished)
	return err
}

// Wake signals the workflow of a row to look at the row, and starts the workflow if it is
// not running.
func (d Dispatcher) Wake(ctx context.Context, r Row) error {
	how, options, input := d.of(r)
	options.EnableEagerStart = false // Temporal refuses it together with a signal
	_, err := d.Client.SignalWithStartWorkflow(ctx, options.ID, how.signal, nil, options, how.workflow, input)
	return err
}

// Last is the state of the last run of a workflow.
type Last int

// Which last runs may be followed by another run.
const (
	// UnlessRunning follows a run that ended in any way.
	UnlessRunning Last = iota
	// UnlessFinished follows a run that failed or was ended by an operator.
	UnlessFinished
)

// Start starts the workflow of a row, and reports whether it did. It is no error if it
// must not.
func (d Dispatcher) Start(ctx context.Context, r Row, last Last) (bool, error) {
	how, options, input := d.of(r)
	options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	options.WorkflowExecutionErrorWhenAlreadyStarted = true
	if last == UnlessFinished {
		options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	}
	_, err := d.Client.ExecuteWorkflow(ctx, options, how.workflow, input)
	if _, started := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); started {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("start %s: %w", options.ID, err)
	}
	return true, nil
}

// StartOrWake starts the workflow of a row, and reports whether it did. If the workflow is
// running, StartOrWake wakes it.
func (d Dispatcher) StartOrWake(ctx context.Context, r Row) (bool, error) {
	started, err := d.Start(ctx, r, UnlessRunning)
	if err != nil || started || kinds()[r.Kind].signal == "" {
		return started, err
	}
	return false, d.Wake(ctx, r)
}

// Update is a request to the workflow of a row.
type Update struct {
	Name string
	Args []any
	// ID makes repeated requests one; it may be empty.
	ID string
	// Attributes are set on a new run.
	Attributes []temporal.SearchAttributeUpdate
}

// lostPause is the pause before a lost update is repeated; it doubles.
const lostPause = 50 * time.Millisecond

// Ask sends an update to the workflow of a row, starts the workflow if it is not running,
// and waits for the answer until ctx is done.
//
// Temporal drops an update with WorkflowNotReady if another event reaches the run while it
// is completing with that update: Temporal then repeats the run's last decision without the
// update. Ask then sends the update again. Steps that the update has already made may be
// made twice, which is safe, as for all steps.
func (d Dispatcher) Ask(ctx context.Context, r Row, u Update, result any) error {
	for pause := lostPause; ; pause *= 2 {
		err := d.ask(ctx, r, u, result)
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

// Await waits for the answer to an update that was sent to the last run of a row's workflow.
func (d Dispatcher) Await(ctx context.Context, r Row, updateID string) error {
	return d.Client.GetWorkflowUpdateHandle(client.GetWorkflowUpdateHandleOptions{
		WorkflowID: r.WorkflowID(), UpdateID: updateID,
	}).Get(ctx, nil)
}

func (d Dispatcher) ask(ctx context.Context, r Row, u Update, result any) error {
	how, options, input := d.of(r)
	options.EnableEagerStart = false // Temporal refuses it together with an update
	options.TypedSearchAttributes = temporal.NewSearchAttributes(append(r.attributes(), u.Attributes...)...)
	handle, err := d.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: d.Client.NewWithStartWorkflowOperation(options, how.workflow, input),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: u.ID, UpdateName: u.Name, Args: u.Args, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, result)
}
