package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/tasks"
	"github.com/durapay/durapay/activities/trades"
)

// ConsolidateWorkflowID is the workflow ID of a wallet's consolidation.
func ConsolidateWorkflowID(walletID string) string { return "consolidate-" + walletID }

// consolidateEvery is the pause between two searches for small coins.
const consolidateEvery = 30 * time.Minute

// Consolidate joins small coins of a wallet of the exchange, one transaction at
// a time and seldom. It never ends; each run is a fresh history.
func Consolidate(ctx workflow.Context, in WalletInput) error {
	workflow.SetCurrentDetails(ctx, "joins small coins of wallet "+in.WalletID)
	if err := workflow.Sleep(ctx, consolidateEvery); err != nil {
		return err
	}
	var a *trades.Payments
	err := workflow.ExecuteActivity(consolidateContext(ctx, in.WalletID), a.Consolidate, tasks.Wallet{WalletID: in.WalletID}).Get(ctx, nil)
	if temporal.IsCanceledError(err) {
		return err
	}
	if err != nil { // the next run tries again
		workflow.GetLogger(ctx).Warn("coins are not joined", "wallet", in.WalletID, "error", err)
	}
	return workflow.NewContinueAsNewError(ctx, Consolidate, in)
}

// consolidateContext has few attempts, because payments of the wallet come first.
func consolidateContext(ctx workflow.Context, walletID string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              SendQueue(walletID),
		ScheduleToCloseTimeout: 20 * time.Minute,
		StartToCloseTimeout:    5 * time.Minute,
		HeartbeatTimeout:       5 * time.Second,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: time.Minute, MaximumAttempts: 5,
		},
	})
}
