package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/wakeup"
)

// OverdueWorkflowID is the ID of the schedule that looks for what is overdue, and
// of its runs.
const OverdueWorkflowID = "overdue"

// OverdueEvery is the pause between two of them.
const OverdueEvery = 10 * time.Minute

// Overdue looks once for what should have moved and has not, wakes it, and
// tells operators: also of a fork of the network that would stop everything.
func Overdue(ctx workflow.Context) error {
	var a *wakeup.Handler
	var found int
	if err := workflow.ExecuteActivity(pruneContext(ctx), a.CheckOverdue).Get(ctx, &found); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Overdue** %d", found))
	if err := workflow.ExecuteActivity(operatorContext(ctx), a.CheckFork).Get(ctx, nil); err != nil {
		// A daemon that is away is told elsewhere, and the next run asks again.
		workflow.GetLogger(ctx).Warn("Forks of the network are not known now.", "error", err)
	}
	return nil
}
