package workflows

import (
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/addresspool"
	"github.com/durapay/durapay/activities/exchangewatch"
	"github.com/durapay/durapay/activities/merchantwatch"
	"github.com/durapay/durapay/activities/tasks"
)

// WatchWorkflowID is the workflow ID of a wallet's watcher.
func WatchWorkflowID(walletID string) string { return "watch-" + walletID }

// PoolWorkflowID is the workflow ID of a wallet's address pool.
func PoolWorkflowID(walletID string) string { return "pool-" + walletID }

// WalletInput names a wallet.
type WalletInput struct {
	WalletID string
}

// Watch keeps one watcher over a wallet: a long activity that scans the wallet once a second, or when its
// daemon announces something. It never ends; each run is a fresh history.
func Watch(ctx workflow.Context, in WalletInput) error {
	workflow.SetCurrentDetails(ctx, "watches wallet "+in.WalletID+" for payments and blocks")
	var a *merchantwatch.Handler
	if err := workflow.ExecuteActivity(watchContext(ctx, in.WalletID), a.WatchWallet,
		tasks.Wallet{WalletID: in.WalletID}).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Watch, in)
}

// Pool keeps unused addresses of a wallet ready. It never ends; each run is a
// fresh history.
func Pool(ctx workflow.Context, in WalletInput) error {
	workflow.SetCurrentDetails(ctx, "keeps unused addresses of wallet "+in.WalletID+" ready")
	var a *addresspool.Handler
	if err := workflow.ExecuteActivity(watchContext(ctx, in.WalletID), a.FillPool,
		tasks.Wallet{WalletID: in.WalletID}).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Pool, in)
}

// WatchExchange keeps one watcher over a wallet of the exchange. It never
// ends; each run is a fresh history.
func WatchExchange(ctx workflow.Context, in WalletInput) error {
	workflow.SetCurrentDetails(ctx, "watches the exchange's wallet "+in.WalletID+" for deposits and blocks")
	var a *exchangewatch.Handler
	if err := workflow.ExecuteActivity(watchContext(ctx, in.WalletID), a.WatchExchange,
		tasks.Wallet{WalletID: in.WalletID}).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, WatchExchange, in)
}
