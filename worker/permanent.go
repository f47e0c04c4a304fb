package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/simulated"
	"github.com/durapay/durapay/workflows"
)

// askAgain is how long a worker waits before it asks a Temporal again that is away.
const askAgain = 500 * time.Millisecond

// untilAnswered asks Temporal until it answers: while it is away, or slower than a call
// waits, as both are when they start together on a busy machine. What it refuses is an
// error at once, and so is the end of ctx.
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

// startPermanent starts the workflows that always run, unless they do.
func (d Deps) startPermanent(ctx context.Context) error {
	for _, id := range d.WalletIDs {
		if err := d.ensure(ctx, workflows.MerchantQueue, workflows.WatchWorkflowID(id), id, workflows.Watch); err != nil {
			return err
		}
		if err := d.ensure(ctx, workflows.MerchantQueue, workflows.PoolWorkflowID(id), id, workflows.Pool); err != nil {
			return err
		}
	}
	if err := d.ensure(ctx, workflows.MerchantQueue, workflows.WatchWorkflowID(simulated.Wallet), simulated.Wallet, workflows.Watch); err != nil {
		return err
	}
	if err := d.startExchange(ctx); err != nil {
		return err
	}
	return d.startSchedules(ctx)
}

// ensure starts a workflow of a wallet, unless it runs.
func (d Deps) ensure(ctx context.Context, queue, workflowID, walletID string, fn any) error {
	_, err := d.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: workflowID, TaskQueue: queue,
		WorkflowIDConflictPolicy: enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		TypedSearchAttributes:    temporal.NewSearchAttributes(workflows.WalletIDKey.ValueSet(walletID)),
	}, fn, workflows.WalletInput{WalletID: walletID})
	if err != nil {
		return fmt.Errorf("start %s: %w", workflowID, err)
	}
	return nil
}

// startSchedules looks for what is overdue every ten minutes, makes mails of notices
// every minute if there is a mail server, prunes once an
// hour, or more often where data is kept for less than ten hours, and, if there is a source, reads the sanctions list once
// a day and at every start.
func (d Deps) startSchedules(ctx context.Context) error {
	retention := &client.ScheduleWorkflowAction{
		ID: workflows.RetentionWorkflowID, Workflow: workflows.Retention, TaskQueue: workflows.MerchantQueue,
		Args: []any{workflows.RetentionInput{}},
	}
	late := &client.ScheduleWorkflowAction{ID: workflows.OverdueWorkflowID, Workflow: workflows.Overdue, TaskQueue: workflows.MerchantQueue}
	if err := d.schedule(ctx, late, workflows.OverdueEvery); err != nil {
		return err
	}
	if d.Notices != nil && d.Notices.Mails {
		gather := &client.ScheduleWorkflowAction{ID: workflows.NoticesWorkflowID, Workflow: workflows.Notices, TaskQueue: workflows.MerchantQueue}
		if err := d.schedule(ctx, gather, workflows.NoticesEvery); err != nil {
			return err
		}
	}
	if err := d.schedule(ctx, retention, d.PruneEvery); err != nil || d.Sanctions == nil {
		return err
	}
	id := workflows.SanctionsWorkflowID()
	list := &client.ScheduleWorkflowAction{ID: id, Workflow: workflows.Sanctions, TaskQueue: workflows.MerchantQueue}
	if err := d.schedule(ctx, list, 24*time.Hour); err != nil {
		return err
	}
	// A run that waits to try again is ended: its source may be another one now.
	err := d.Temporal.ScheduleClient().GetHandle(ctx, id).
		Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER})
	if err != nil {
		return fmt.Errorf("schedule %s: %w", id, err)
	}
	return nil
}

// schedule runs a workflow at an interval, under the workflow's own ID; a run
// that is still busy is not doubled. A schedule that exists gets the pause that
// follows from today's settings.
func (d Deps) schedule(ctx context.Context, action *client.ScheduleWorkflowAction, every time.Duration) error {
	spec := client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}}
	_, err := d.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: action.ID, Spec: spec, Action: action, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	var exists *serviceerror.AlreadyExists
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) || errors.As(err, &exists) {
		err = d.Temporal.ScheduleClient().GetHandle(ctx, action.ID).Update(ctx, client.ScheduleUpdateOptions{
			DoUpdate: func(found client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
				found.Description.Schedule.Spec, found.Description.Schedule.Action = &spec, action
				return &client.ScheduleUpdate{Schedule: &found.Description.Schedule}, nil
			},
		})
	}
	if err != nil {
		return fmt.Errorf("schedule %s: %w", action.ID, err)
	}
	return nil
}
