package worker

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/durapay/durapay/internal/simulated"
	"github.com/durapay/durapay/workflows"
)

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

// startPermanent starts the workflows that always run, unless they are running.
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
	return d.startExchange(ctx)
}

// ensure starts a workflow of a wallet, unless it is running.
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
