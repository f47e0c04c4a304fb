package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/workflows"
)

// retentionSchedule is the ID of the schedule that prunes old data.
const retentionSchedule = "retention"

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

// startSchedules prunes once an hour and, if there is a source, reads the
// sanctions list once a day and at every start.
func (d Deps) startSchedules(ctx context.Context) error {
	if err := d.schedule(ctx, retentionSchedule, workflows.Retention, time.Hour); err != nil {
		return err
	}
	if d.Sanctions == nil {
		return nil
	}
	if err := d.schedule(ctx, workflows.SanctionsWorkflowID(), workflows.Sanctions, 24*time.Hour); err != nil {
		return err
	}
	// A run that waits to try again is ended: its source may be another one now.
	err := d.Temporal.ScheduleClient().GetHandle(ctx, workflows.SanctionsWorkflowID()).
		Trigger(ctx, client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_TERMINATE_OTHER})
	if err != nil {
		return fmt.Errorf("schedule %s: %w", workflows.SanctionsWorkflowID(), err)
	}
	return nil
}

// schedule runs a workflow at an interval; a run that is still busy is not doubled.
func (d Deps) schedule(ctx context.Context, id string, fn any, every time.Duration) error {
	_, err := d.Temporal.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID:      id,
		Spec:    client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}},
		Action:  &client.ScheduleWorkflowAction{ID: id, Workflow: fn, TaskQueue: workflows.MerchantQueue},
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP,
	})
	var exists *serviceerror.AlreadyExists
	if err == nil || errors.Is(err, temporal.ErrScheduleAlreadyRunning) || errors.As(err, &exists) {
		return nil
	}
	return fmt.Errorf("schedule %s: %w", id, err)
}
