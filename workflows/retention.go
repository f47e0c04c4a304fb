package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/upkeep"
)

// RetentionWorkflowID is the ID of the schedule that prunes, and of its runs.
const RetentionWorkflowID = "retention"

// prunesPerRun bounds the history of one run; the next run continues where it ended.
const prunesPerRun = 100

// RetentionInput is where a run continues; its zero value begins a new pass.
type RetentionInput struct {
	Prune upkeep.Prune
}

// Retention removes data that is older than the settings allow, in short batches. Buyers'
// fields go first, charges and delivery logs later. Money that is not paid out is never
// removed.
func Retention(ctx workflow.Context, in RetentionInput) error {
	var a *upkeep.Retention
	next := in.Prune
	if next.Now.IsZero() {
		next.Now = now(ctx)
	}
	for range prunesPerRun {
		var done upkeep.Pruned
		if err := workflow.ExecuteActivity(pruneContext(ctx), a.PruneData, next).Get(ctx, &done); err != nil {
			return err
		}
		if done.Done {
			return nil
		}
		next.From = done.Next
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Retention** at %s, %s", next.From.Step, next.From.At))
	}
	return workflow.NewContinueAsNewError(ctx, Retention, RetentionInput{Prune: next})
}
