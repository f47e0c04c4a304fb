package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/workflows"
)

// Reconciler gives every row that has to have a running workflow one. It is
// for an engine that has lost its memory; where nothing was lost it finds all
// of them running and changes nothing.
type Reconciler struct {
	Store    *postgres.Store
	Temporal client.Client
	Clock    func() time.Time
}

// Reconciled counts workflows by what they carry.
type Reconciled struct {
	// Started had none, Running had one already.
	Started map[string]int `json:"started"`
	Running map[string]int `json:"running"`
}

// startsAtOnce bounds what is asked of the engine at the same time.
const startsAtOnce = 16

// task is a workflow that has to run.
type task struct {
	kind     string
	id       string
	queue    string
	workflow any
	input    any
}

// Run looks at every open charge, payout, delivery, mail, trade and swap. It
// reads the database once and calls the engine once for each. Run twice, or at
// the same time as the services work, it starts nothing twice.
func (r Reconciler) Run(ctx context.Context) (Reconciled, error) {
	list := Reconciled{Started: map[string]int{}, Running: map[string]int{}}
	tasks, err := r.tasks(ctx)
	if err != nil {
		return list, err
	}
	started := make([]bool, len(tasks))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(startsAtOnce)
	for i, t := range tasks {
		group.Go(func() (err error) {
			started[i], err = r.start(groupCtx, t)
			return err
		})
	}
	err = group.Wait()
	for i, t := range tasks {
		if started[i] {
			list.Started[t.kind]++
		} else if err == nil {
			list.Running[t.kind]++
		}
	}
	return list, err
}

// start says whether there was none.
func (r Reconciler) start(ctx context.Context, t task) (bool, error) {
	_, err := r.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: t.id, TaskQueue: t.queue,
		WorkflowIDConflictPolicy:                 enumspb.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:                    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, t.workflow, t.input)
	if _, running := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); running {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("start %s: %w", t.id, err)
	}
	return true, nil
}

// ResumePayout are the options and the input with which the workflow of a
// payout that exists is started, unless it runs.
func ResumePayout(payoutID, merchantID string) (client.StartWorkflowOptions, workflows.PayoutInput) {
	return client.StartWorkflowOptions{
		ID: workflows.PayoutWorkflowID(payoutID), TaskQueue: workflows.MerchantQueue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, workflows.PayoutInput{PayoutID: payoutID, MerchantID: merchantID, Resume: true}
}

func (r Reconciler) tasks(ctx context.Context) ([]task, error) {
	var all []task
	for _, read := range []func(context.Context) ([]task, error){
		r.payouts, r.charges, r.trades, r.swaps, r.deliveries, r.tradeEvents, r.mails,
	} {
		list, err := read(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

func (r Reconciler) payouts(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UnfinishedPayouts(ctx)
	list := make([]task, 0, len(rows))
	for _, p := range rows {
		options, in := ResumePayout(p.ID, p.MerchantID)
		list = append(list, task{"payouts", options.ID, options.TaskQueue, workflows.Payout, in})
	}
	return list, err
}

func (r Reconciler) charges(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenCharges(ctx)
	list := make([]task, 0, len(rows))
	for _, c := range rows {
		list = append(list, task{
			"charges", workflows.ChargeWorkflowID(c.ID), workflows.MerchantQueue, workflows.Charge,
			workflows.ChargeInput{ChargeID: c.ID, MerchantID: c.MerchantID, Resume: true},
		})
	}
	return list, err
}

func (r Reconciler) trades(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenTrades(ctx)
	list := make([]task, 0, len(rows))
	for _, id := range rows {
		list = append(list, task{
			"trades", workflows.TradeWorkflowID(id), workflows.ExchangeQueue, workflows.Trade,
			workflows.TradeInput{TradeID: id, Resume: true},
		})
	}
	return list, err
}

func (r Reconciler) swaps(ctx context.Context) ([]task, error) {
	rows, err := r.Store.OpenSwaps(ctx)
	list := make([]task, 0, len(rows))
	for _, s := range rows {
		list = append(list, task{
			"swaps", workflows.SwapWorkflowID(s.ID), workflows.MerchantQueue, workflows.Swap,
			workflows.SwapInput{SwapID: s.ID, MerchantID: s.MerchantID, Resume: true},
		})
	}
	return list, err
}

func (r Reconciler) deliveries(ctx context.Context) ([]task, error) {
	rows, err := r.Store.PendingDeliveries(ctx)
	list := make([]task, 0, len(rows))
	for _, id := range rows {
		list = append(list, task{
			"deliveries", workflows.WebhookWorkflowID(id), workflows.MerchantQueue, workflows.Webhook,
			workflows.WebhookInput{DeliveryID: id},
		})
	}
	return list, err
}

func (r Reconciler) tradeEvents(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UndeliveredTradeEvents(ctx)
	list := make([]task, 0, len(rows))
	for _, e := range rows {
		next := r.Clock()
		if e.NextAttemptAt != nil {
			next = *e.NextAttemptAt
		}
		list = append(list, task{
			"trade_events", workflows.TradeEventWorkflowID(e.ID), workflows.ExchangeQueue, workflows.TradeEvent,
			workflows.TradeEventInput{EventID: e.ID, Next: next},
		})
	}
	return list, err
}

func (r Reconciler) mails(ctx context.Context) ([]task, error) {
	rows, err := r.Store.UnsentMails(ctx, r.Clock())
	list := make([]task, 0, len(rows))
	for _, id := range rows {
		list = append(list, task{
			"mails", workflows.MailWorkflowID(id), workflows.MerchantQueue, workflows.Mail, workflows.MailInput{VerificationID: id},
		})
	}
	return list, err
}
