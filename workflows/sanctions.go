package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/upkeep"
)

// SanctionsWorkflowID is the ID of the one workflow, and schedule, that reads the list.
func SanctionsWorkflowID() string { return "sanctions" }

// If the list cannot be read, the workflow retries in rounds. After the first round, an
// alert shows operators that there is no list or an old one.
const (
	sanctionsRounds = 10
	sanctionsPause  = time.Hour
)

// Sanctions reads the sanctions list. After each round it alerts operators if the list in
// force is too old. It runs daily and at start. The list in force stays until a better
// one has been read.
func Sanctions(ctx workflow.Context) error {
	var failed error
	for round := range sanctionsRounds {
		if round > 0 {
			if err := workflow.Sleep(ctx, sanctionsPause); err != nil {
				return err
			}
		}
		var err error
		if failed, err = readSanctions(ctx); err != nil || failed == nil {
			return err
		}
	}
	return failed
}

// readSanctions makes one round: failed is why the list could not be read.
func readSanctions(ctx workflow.Context) (failed, err error) {
	var a *upkeep.SanctionsList
	var read upkeep.SanctionsRead
	failed = workflow.ExecuteActivity(sanctionsContext(ctx), a.RefreshSanctions).Get(ctx, &read)
	var stale string
	if err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.CheckSanctions).Get(ctx, &stale); err != nil {
		return failed, err
	}
	workflow.SetCurrentDetails(ctx, sanctionsDetails(read, stale))
	return failed, nil
}

func sanctionsDetails(read upkeep.SanctionsRead, stale string) string {
	details := fmt.Sprintf("read %d addresses: %s", read.Entries, read.Outcome)
	if read.Outcome == "" {
		details = "the list could not be read"
	}
	if stale != "" {
		details += "; stale: " + stale
	}
	return details
}

// sanctionsContext is for reading a remote list of about 100 MB, in a few attempts.
func sanctionsContext(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           OutsideQueue,
		StartToCloseTimeout: 15 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 2 * time.Second, BackoffCoefficient: 4, MaximumInterval: time.Minute, MaximumAttempts: 3,
		},
	})
}
