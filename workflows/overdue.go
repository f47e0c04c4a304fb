package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/upkeep"
)

// OverdueWorkflowID is the ID of the schedule that searches for overdue rows, and of its
// runs.
const OverdueWorkflowID = "overdue"

// OverdueEvery is the pause between two runs.
const OverdueEvery = 10 * time.Minute

// Overdue searches once for rows that should have moved and have not, wakes their
// workflows, and alerts operators. It also alerts operators to a fork of the network that
// would stop everything.
func Overdue(ctx workflow.Context) error {
	var a *upkeep.Overdue
	var found int
	if err := workflow.ExecuteActivity(pruneContext(ctx), a.CheckOverdue).Get(ctx, &found); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Overdue** %d", found))
	if err := workflow.ExecuteActivity(operatorContext(ctx), a.CheckFork).Get(ctx, nil); err != nil {
		// Other checks report a daemon that is away, and the next run asks again.
		workflow.GetLogger(ctx).Warn("Forks of the network are not known now.", "error", err)
	}
	return nil
}
