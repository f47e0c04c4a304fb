package worker

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"

	"github.com/durapay/durapay/internal/outbox"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/workflows/dispatch"
)

// Reconciler starts a workflow for every row that must have one and has none. It signals
// running workflows to check their rows, because a signal may be lost. It is for a
// Temporal that has lost its memory, and for overdue rows. If nothing was lost, it starts
// nothing and changes nothing.
type Reconciler struct {
	Store    *postgres.Store
	Temporal client.Client
	Clock    func() time.Time
	// Unserved ends overdue rows' runs that no worker serves; nil ends none.
	Unserved *Unserved
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
	row dispatch.Row
	// unlessFinished leaves the row alone if its last run has finished, or is running.
	unlessFinished bool
	// answered is called once the workflow runs, or its last run is found finished; it may
	// be nil.
	answered func()
}

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

// Wake does for overdue items what Run does for all rows. It also ends those of their runs
// that no worker has served since an earlier call: the next search for ended runs starts them.
func (r Reconciler) Wake(ctx context.Context, items []outbox.Overdue) error {
	tasks, ids := make([]task, 0, len(items)), make([]string, 0, len(items))
	for _, i := range items {
		row := dispatch.Row{Kind: i.Kind, ID: i.ID, MerchantID: i.MerchantID}
		tasks, ids = append(tasks, task{row: row}), append(ids, row.WorkflowID())
	}
	_, err := r.run(ctx, tasks)
	if r.Unserved == nil {
		return err
	}
	_, ended := r.Unserved.End(ctx, ids)
	return errors.Join(err, ended)
}

// run starts the workflow of each task that has none. A task that cannot be started does
// not stop the other tasks. The error joins the errors of all failed tasks.
func (r Reconciler) run(ctx context.Context, tasks []task) (Reconciled, error) {
	started, skipped, failed := make([]bool, len(tasks)), make([]bool, len(tasks)), make([]error, len(tasks))
	var unanswered atomic.Int32
	var group errgroup.Group
	group.SetLimit(startsAtOnce)
	for i, t := range tasks {
		group.Go(func() error {
			if skipped[i] = unanswered.Load() >= startsGiveUp; skipped[i] {
				return nil
			}
			if started[i], failed[i] = r.start(ctx, t); isAway(failed[i]) {
				unanswered.Add(1)
			}
			return nil
		})
	}
	_ = group.Wait()
	list := Reconciled{Started: map[string]int{}, Running: map[string]int{}}
	for i, t := range tasks {
		switch {
		case skipped[i], failed[i] != nil:
			continue
		case started[i]:
			list.Started[string(t.row.Kind)]++
		default:
			list.Running[string(t.row.Kind)]++
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
// workflow is woken.
func (r Reconciler) start(ctx context.Context, t task) (bool, error) {
	with := dispatch.Dispatcher{Client: r.Temporal}
	if t.unlessFinished {
		return with.Start(ctx, t.row, dispatch.UnlessFinished)
	}
	return with.StartOrWake(ctx, t.row)
}

// tasks returns a task for each row that must have a running workflow.
func (r Reconciler) tasks(ctx context.Context) ([]task, error) {
	var all []task
	for _, read := range []func(context.Context) ([]task, error){
		owned(outbox.Payouts, r.Store.UnfinishedPayouts), owned(outbox.Refunds, r.Store.UnfinishedRefunds),
		named(outbox.Charges, r.Store.OpenCharges), named(outbox.Trades, r.Store.OpenTrades), owned(outbox.Swaps, r.Store.OpenSwaps),
		named(outbox.Deliveries, r.Store.PendingDeliveries), named(outbox.TradeEvents, r.Store.UndeliveredTradeEvents),
		named(outbox.Mails, func(ctx context.Context) ([]string, error) { return r.Store.UnsentMails(ctx, r.Clock()) }),
	} {
		list, err := read(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	return all, nil
}

// named returns what reads the tasks of a query that returns the IDs of rows.
func named(kind outbox.Kind, query func(context.Context) ([]string, error)) func(context.Context) ([]task, error) {
	return func(ctx context.Context) (list []task, err error) {
		ids, err := query(ctx)
		for _, id := range ids {
			list = append(list, task{row: dispatch.Row{Kind: kind, ID: id}})
		}
		return list, err
	}
}

// ownedRow is a row of a merchant.
type ownedRow = struct{ ID, MerchantID string }

// owned returns what reads the tasks of a query that returns the rows of merchants.
func owned[R ~ownedRow](kind outbox.Kind, query func(context.Context) ([]R, error)) func(context.Context) ([]task, error) {
	return func(ctx context.Context) (list []task, err error) {
		rows, err := query(ctx)
		for _, r := range rows {
			list = append(list, task{row: dispatch.Row{Kind: kind, ID: ownedRow(r).ID, MerchantID: ownedRow(r).MerchantID}})
		}
		return list, err
	}
}
