package worker

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"github.com/durapay/durapay/internal/overdue"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/workflows"
)

// Reconciler starts a workflow for every row that must have one and has none. It signals
// running workflows to check their rows, because a signal may be lost. It is for a
// Temporal that has lost its memory, and for overdue rows. If nothing was lost, it starts
// nothing and changes nothing.
type Reconciler struct {
	Store    *postgres.Store
	Temporal client.Client
	Clock    func() time.Time
}

// Reconciled counts workflows by the kind of their rows.
type Reconciled struct {
	// Started counts the rows that had no workflow. Running counts the rows whose workflow
	// was running; Run signals it if it takes a signal.
	Started map[string]int `json:"started"`
	Running map[string]int `json:"running"`
}

const (
	// startsAtOnce bounds the number of concurrent calls to Temporal.
	startsAtOnce = 16
	// startsGiveUp is how many starts may find Temporal away. After that, the remaining
	// tasks are skipped.
	startsGiveUp = 2 * startsAtOnce
)

// task is a workflow that has to run.
type task struct {
	kind     overdue.Kind
	id       string
	queue    string
	workflow any
	input    any
	// signal makes the workflow check its row; empty if it needs no signal.
	signal string
	// unlessFinished leaves the row alone if its last run has finished.
	unlessFinished bool
	// answered is called once the workflow runs, or its last run is found finished; it may
	// be nil.
	answered func()
}

// mails is a kind of rows that is never overdue: their runs end by themselves.
const mails overdue.Kind = "mails"

// Run starts or signals the workflow of every open charge, payout, refund, delivery,
// trade event, mail, trade and swap. It reads the database once for each kind, and calls
// Temporal once or twice for each row. It may run twice, or while the services work: it
// starts no second workflow for a row.
func (r Reconciler) Run(ctx context.Context) (Reconciled, error) {
	tasks, err := r.tasks(ctx)
	if err != nil {
		return Reconciled{Started: map[string]int{}, Running: map[string]int{}}, err
	}
	return r.run(ctx, tasks)
}

// Wake does for overdue items what Run does for all rows.
func (r Reconciler) Wake(ctx context.Context, items []overdue.Item) error {
	tasks := make([]task, 0, len(items))
	for _, i := range items {
		tasks = append(tasks, r.taskOf(i))
	}
	_, err := r.run(ctx, tasks)
	return err
}

// run starts the workflow of each task that has none. A task that cannot be started does
// not stop the other tasks. The error joins the errors of all failed tasks.
func (r Reconciler) run(ctx context.Context, tasks []task) (Reconciled, error) {
	started, left, failed := make([]bool, len(tasks)), make([]bool, len(tasks)), make([]error, len(tasks))
	var unheard atomic.Int32
	var group errgroup.Group
	group.SetLimit(startsAtOnce)
	for i, t := range tasks {
		group.Go(func() error {
			if left[i] = unheard.Load() >= startsGiveUp; left[i] {
				return nil
			}
			if started[i], failed[i] = r.start(ctx, t); isAway(failed[i]) {
				unheard.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait()
	list := Reconciled{Started: map[string]int{}, Running: map[string]int{}}
	for i, t := range tasks {
		switch {
		case left[i], failed[i] != nil:
			continue
		case started[i]:
			list.Started[string(t.kind)]++
		default:
			list.Running[string(t.kind)]++
		}
		if t.answered != nil {
			t.answered()
		}
	}
	return list, errors.Join(failed...)
}

// isAway reports whether Temporal did not answer, so that the next call would fail too.
func isAway(err error) bool {
	switch serviceerror.ToStatus(err).Code() {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.ResourceExhausted:
		return true
	default:
		return false
	}
}

// start starts the workflow of a task and reports whether none was running. A running
// workflow gets the signal of the task. If it has ended meanwhile, the signal starts a
// new run.
func (r Reconciler) start(ctx context.Context, t task) (bool, error) {
	options := client.StartWorkflowOptions{
		ID: t.id, TaskQueue: t.queue,
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}
	if t.unlessFinished {
		options.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	}
	_, err := r.Temporal.ExecuteWorkflow(ctx, options, t.workflow, t.input)
	_, running := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err)
	if running && t.signal != "" {
		options.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
		_, err = r.Temporal.SignalWithStartWorkflow(ctx, t.id, t.signal, nil, options, t.workflow, t.input)
	} else if running {
		err = nil
	}
	if err != nil {
		return false, fmt.Errorf("start %s: %w", t.id, err)
	}
	return !running, nil
}

// ResumePayout returns the options and the input that start the workflow of an existing
// payout, unless it is running.
func ResumePayout(payoutID, merchantID string) (client.StartWorkflowOptions, workflows.PayoutInput) {
	return client.StartWorkflowOptions{
		ID: workflows.PayoutWorkflowID(payoutID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.PayoutInput{PayoutID: payoutID, MerchantID: merchantID, Resume: true}
}

// ResumeRefund returns the options and the input that start the workflow of an existing
// refund, unless it is running.
func ResumeRefund(refundID, merchantID string) (client.StartWorkflowOptions, workflows.RefundInput) {
	return client.StartWorkflowOptions{
		ID: workflows.RefundWorkflowID(refundID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.RefundInput{RefundID: refundID, MerchantID: merchantID, Resume: true}
}

func (r Reconciler) tasks(ctx context.Context) ([]task, error) {
	var all []task
	for _, read := range []func(context.Context) ([]task, error){
		r.payouts, r.refunds, r.charges, r.trades, r.swaps, r.deliveries, r.tradeEvents, r.mails,
	} {
		list, err := read(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// taskOf returns the workflow of an overdue item.
func (r Reconciler) taskOf(i overdue.Item) task {
	switch i.Kind {
	case overdue.Payout:
		return payoutTask(i.ID, i.MerchantID)
	case overdue.Charge:
		return chargeTask(i.ID)
	case overdue.Swap:
		return swapTask(i.ID, i.MerchantID)
	case overdue.Delivery:
		return deliveryTask(i.ID)
	case overdue.TradeEvent:
		return r.partnerTask(i.ID)
	default:
		return tradeTask(i.ID)
	}
}

func payoutTask(id, merchantID string) task {
	options, in := ResumePayout(id, merchantID)
	return task{
		kind: overdue.Payout, id: options.ID, queue: options.TaskQueue, workflow: workflows.Payout, input: in, signal: workflows.BlockSignal,
	}
}

// refunds is a kind of rows that is never overdue: a refund waits for people, and the
// search for overdue rows covers the payouts of its claims.
const refunds overdue.Kind = "refunds"

func refundTask(id, merchantID string) task {
	options, in := ResumeRefund(id, merchantID)
	return task{
		kind: refunds, id: options.ID, queue: options.TaskQueue, workflow: workflows.Refund, input: in, signal: workflows.FundsSignal,
	}
}

func chargeTask(id string) task {
	return task{
		kind: overdue.Charge, id: workflows.ChargeWorkflowID(id), queue: workflows.MerchantQueue, workflow: workflows.Charge,
		input: workflows.ChargeInput{ChargeID: id}, signal: workflows.PaymentsSignal,
	}
}

func tradeTask(id string) task {
	return task{
		kind: overdue.Trade, id: workflows.TradeWorkflowID(id), queue: workflows.ExchangeQueue, workflow: workflows.Trade,
		input: workflows.TradeInput{TradeID: id, Resume: true}, signal: workflows.DepositsSignal,
	}
}

func swapTask(id, merchantID string) task {
	return task{
		kind: overdue.Swap, id: workflows.SwapWorkflowID(id), queue: workflows.MerchantQueue, workflow: workflows.Swap,
		input: workflows.SwapInput{SwapID: id, MerchantID: merchantID, Resume: true},
	}
}

func deliveryTask(id string) task {
	in := workflows.DeliveryToMerchant(id)
	return task{kind: overdue.Delivery, id: in.WorkflowID(), queue: workflows.MerchantQueue, workflow: workflows.Delivery, input: in}
}

// tradeEventTask begins with the first attempt, because a recorded attempt is not
// repeated.
func tradeEventTask(id int64, next time.Time) task {
	in := workflows.DeliveryToPartner(id)
	in.Next = next
	return task{kind: overdue.TradeEvent, id: in.WorkflowID(), queue: workflows.ExchangeQueue, workflow: workflows.Delivery, input: in}
}

// partnerTask is tradeEventTask for a number as text, the form that workflow IDs and
// overdue items have.
func (r Reconciler) partnerTask(id string) task {
	number, _ := strconv.ParseInt(id, 10, 64) // no event has the number 0
	return tradeEventTask(number, r.Clock())
}

func mailTask(id string) task {
	return task{
		kind: mails, id: workflows.MailWorkflowID(id), queue: workflows.MerchantQueue, workflow: workflows.Mail,
		input: workflows.MailInput{VerificationID: id},
	}
}

// tasksOf returns a task for each row of a query, and the query's error.
func tasksOf[Row any](rows []Row, err error, of func(Row) task) ([]task, error) {
	list := make([]task, 0, len(rows))
	for _, row := range rows {
		list = append(list, of(row))
	}
	return list, err
}

func (r Reconciler) payouts(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UnfinishedPayouts(ctx)
	return tasksOf(rows, err, func(p db.UnfinishedPayoutsRow) task { return payoutTask(p.ID, p.MerchantID) })
}

func (r Reconciler) refunds(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UnfinishedRefunds(ctx)
	return tasksOf(rows, err, func(f db.UnfinishedRefundsRow) task { return refundTask(f.ID, f.MerchantID) })
}

func (r Reconciler) charges(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenCharges(ctx)
	return tasksOf(rows, err, chargeTask)
}

func (r Reconciler) trades(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenTrades(ctx)
	return tasksOf(rows, err, tradeTask)
}

func (r Reconciler) swaps(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenSwaps(ctx)
	return tasksOf(rows, err, func(s db.OpenSwapsRow) task { return swapTask(s.ID, s.MerchantID) })
}

func (r Reconciler) deliveries(ctx context.Context) ([]task, error) {
	rows, err := r.Store.PendingDeliveries(ctx)
	return tasksOf(rows, err, deliveryTask)
}

func (r Reconciler) tradeEvents(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UndeliveredTradeEvents(ctx)
	return tasksOf(rows, err, func(e db.UndeliveredTradeEventsRow) task {
		next := r.Clock()
		if e.NextAttemptAt != nil {
			next = *e.NextAttemptAt
		}
		return tradeEventTask(e.ID, next)
	})
}

func (r Reconciler) mails(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UnsentMails(ctx, r.Clock())
	return tasksOf(rows, err, mailTask)
}
