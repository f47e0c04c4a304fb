package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/witness"
	"github.com/durapay/durapay/workflows"
)

// scheduled is a workflow that runs at an interval, under the ID of its schedule.
type scheduled struct {
	action *client.ScheduleWorkflowAction
	every  time.Duration
}

// schedules returns the schedules of this process. The search for overdue rows runs every
// ten minutes. If there is a mail server, mails of notices are made every minute.
// Retention runs once an hour, or more often where data is kept for less than ten hours.
// If there is a source, the sanctions list is read once a day.
func (d Deps) schedules() []scheduled {
	of := func(id string, workflow any, every time.Duration, args ...any) scheduled {
		return scheduled{&client.ScheduleWorkflowAction{ID: id, Workflow: workflow, TaskQueue: workflows.MerchantQueue, Args: args}, every}
	}
	list := []scheduled{
		of(workflows.OverdueWorkflowID, workflows.Overdue, workflows.OverdueEvery),
		of(workflows.RetentionWorkflowID, workflows.Retention, d.PruneEvery, workflows.RetentionInput{}),
	}
	if d.Mails != nil && d.Mails.Sender != nil {
		list = append(list, of(workflows.NoticesWorkflowID, workflows.Notices, workflows.NoticesEvery))
	}
	if d.Sanctions != nil {
		list = append(list, of(workflows.SanctionsWorkflowID(), workflows.Sanctions, 24*time.Hour))
	}
	return list
}

// startSchedules creates the schedules, updates existing ones to the current settings,
// and triggers a read of the sanctions list.
func (d Deps) startSchedules(ctx context.Context) error {
	for _, s := range d.schedules() {
		exists, err := d.create(ctx, s)
		if exists {
			err = d.update(ctx, s)
		}
		if err != nil {
			return err
		}
	}
	if d.Sanctions == nil {
		return nil
	}
	// End a run that waits for its next try, because its source may have changed.
	err := d.Temporal.ScheduleClient().GetHandle(ctx, workflows.SanctionsWorkflowID()).
		Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER})
	if err != nil {
		return fmt.Errorf("read the sanctions list: %w", err)
	}
	return nil
}

// restoreSchedules creates the schedules that were deleted. A paused schedule stays
// paused.
func (d Deps) restoreSchedules(ctx context.Context) error {
	for _, s := range d.schedules() {
		if _, err := d.create(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// create creates a schedule whose runs never overlap, and reports whether it existed
// already.
func (d Deps) create(ctx context.Context, s scheduled) (exists bool, err error) {
	_, err = d.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.action.ID, Spec: s.spec(), Action: s.action, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	_, exists = errors.AsType[*serviceerror.AlreadyExists](err)
	switch {
	case exists, errors.Is(err, temporal.ErrScheduleAlreadyRunning):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("schedule %s: %w", s.action.ID, err)
	}
	return false, nil
}

func (d Deps) update(ctx context.Context, s scheduled) error {
	err := d.Temporal.ScheduleClient().GetHandle(ctx, s.action.ID).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(found client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			spec := s.spec()
			found.Description.Schedule.Spec, found.Description.Schedule.Action = &spec, s.action
			return &client.ScheduleUpdate{Schedule: &found.Description.Schedule}, nil
		},
	})
	if err != nil {
		return fmt.Errorf("schedule %s: %w", s.action.ID, err)
	}
	return nil
}

func (s scheduled) spec() client.ScheduleSpec {
	return client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: s.every}}}
}

// askAgain is the pause before a worker repeats a call that Temporal did not answer.
const askAgain = 500 * time.Millisecond

// untilAnswered repeats a call until Temporal answers it. Temporal may be away, or slower
// than a call waits, for example when both start together on a busy machine. A refusal by
// Temporal is returned at once. When ctx ends, untilAnswered returns the last error.
func untilAnswered(ctx context.Context, log *slog.Logger, ask func(context.Context) error) error {
	for {
		err := ask(ctx)
		if err == nil || !isAway(err) || ctx.Err() != nil {
			return err
		}
		log.WarnContext(ctx, "Temporal does not answer, and is asked again", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return err
		case <-time.After(askAgain):
		}
	}
}

// permanentRun is a workflow that always runs; wallet is empty if it serves a chain.
type permanentRun struct {
	queue, id, wallet string
	workflow, input   any
}

// permanent returns the workflows that always run: the watchers of all chains, the address
// pools of all wallets, and the consolidations of the exchange's.
func (d Deps) permanent() (runs []permanentRun) {
	for _, id := range d.watchedChains() {
		runs = append(runs, permanentRun{workflows.MerchantQueue, workflows.WatchWorkflowID(id), "", workflows.Watch, workflows.ChainInput{ChainID: id}})
	}
	add := func(queue, id, wallet string, workflow any) {
		runs = append(runs, permanentRun{queue, id, wallet, workflow, workflows.WalletInput{WalletID: wallet}})
	}
	for _, id := range d.AllWallets() {
		add(workflows.MerchantQueue, workflows.PoolWorkflowID(id), id, workflows.Pool)
	}
	if d.Exchange != nil {
		for _, id := range d.Exchange.WalletIDs {
			add(workflows.ExchangeQueue, workflows.ConsolidateWorkflowID(id), id, workflows.Consolidate)
		}
	}
	return runs
}

// startPermanent starts the workflows that always run, unless they are running.
func (d Deps) startPermanent(ctx context.Context) error {
	for _, r := range d.permanent() {
		if err := d.ensure(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// witnesses returns the witnesses of all wallets. One that ended still answers, so the next
// raise of its mark starts it. As a new one it knows nothing before.
func (d Deps) witnesses() (runs []permanentRun) {
	for _, id := range d.AllWallets() {
		runs = append(runs, permanentRun{witness.Queue, witness.WorkflowID(id), id, witness.WorkflowType, witness.State{}})
	}
	return runs
}

// endUnserved terminates those of the permanent workflows and witnesses that no worker
// serves. Such a witness does not even answer as an ended one, so it starts from the beginning.
func (d Deps) endUnserved(ctx context.Context) error {
	witnesses := d.witnesses()
	var ids []string
	for _, r := range slices.Concat(d.permanent(), witnesses) {
		ids = append(ids, r.id)
	}
	ended, err := d.Unserved.End(ctx, ids)
	if len(ended) > 0 {
		d.Log.WarnContext(ctx, "runs had a task that reached no worker, and are ended", slog.Any("workflows", ended))
	}
	for _, r := range witnesses {
		if slices.Contains(ended, r.id) {
			err = errors.Join(err, d.ensure(ctx, r))
		}
	}
	return err
}

// ensure starts a workflow, unless it is running.
func (d Deps) ensure(ctx context.Context, r permanentRun) error {
	o := client.StartWorkflowOptions{ID: r.id, TaskQueue: r.queue, WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING}
	if r.wallet != "" {
		o.TypedSearchAttributes = temporal.NewSearchAttributes(workflows.WalletIDKey.ValueSet(r.wallet))
	}
	if _, err := d.Temporal.ExecuteWorkflow(ctx, o, r.workflow, r.input); err != nil {
		return fmt.Errorf("start %s: %w", r.id, err)
	}
	return nil
}
