package workflows

import (
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/internal/witness"
)

// WatchWorkflowID is the workflow ID of a wallet's watcher.
func WatchWorkflowID(walletID string) string { return "watch-" + walletID }

// PoolWorkflowID is the workflow ID of a wallet's address pool.
func PoolWorkflowID(walletID string) string { return "pool-" + walletID }

// WalletInput names a wallet.
type WalletInput = incoming.WalletTask

// Watch keeps one watcher over a wallet: a long activity that scans the wallet once a second, or when its
// daemon announces something. It never ends; each run is a fresh history.
func Watch(ctx workflow.Context, in WalletInput) error {
	var a *incoming.Merchants
	return keep(ctx, in, "watches wallet "+in.WalletID+" for payments and blocks", a.WatchWallet, Watch)
}

// Pool keeps unused addresses of a wallet ready. It never ends; each run is a
// fresh history.
func Pool(ctx workflow.Context, in WalletInput) error {
	var a *incoming.Pool
	return keep(ctx, in, "keeps unused addresses of wallet "+in.WalletID+" ready", a.FillPool, Pool)
}

// WatchExchange keeps one watcher over a wallet of the exchange. It never
// ends; each run is a fresh history.
func WatchExchange(ctx workflow.Context, in WalletInput) error {
	var a *incoming.Exchange
	return keep(ctx, in, "watches the exchange's wallet "+in.WalletID+" for deposits and blocks", a.WatchExchange, WatchExchange)
}

// keep runs a long activity of a wallet, and then begins anew.
func keep(ctx workflow.Context, in WalletInput, details string, activity, again any) error {
	workflow.SetCurrentDetails(ctx, details)
	if err := forWatch.at(WatchQueue(in.WalletID)).start(ctx, activity, in).Get(ctx, nil); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, again, in)
}

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
	err := forConsolidation.at(SendQueue(in.WalletID)).start(ctx, a.Consolidate, trades.WalletTask(in)).Get(ctx, nil)
	if temporal.IsCanceledError(err) {
		return err
	}
	if err != nil { // the next run tries again
		workflow.GetLogger(ctx).Warn("coins are not joined", "wallet", in.WalletID, "error", err)
	}
	return workflow.NewContinueAsNewError(ctx, Consolidate, in)
}

// raisesPerRun bounds the history of one run.
const raisesPerRun = 500

// Witness keeps the mark of a wallet where a restore of the database does not reach it.
// The mark is how far the wallet has come. The journal has what its newest transactions
// paid. The workflow remembers, and does nothing else. It never ends; each run begins
// with the state of the previous run.
func Witness(ctx workflow.Context, state witness.State) error {
	workflow.SetCurrentDetails(ctx, "remembers how far the wallet has come, beside the database")
	raises := 0
	if err := errors.Join(
		workflow.SetUpdateHandler(ctx, witness.RaiseUpdate, func(_ workflow.Context, r witness.Raise) error {
			raises++
			if err := state.Apply(r); err != nil {
				return temporal.NewNonRetryableApplicationError(err.Error(), witness.ConflictType, nil)
			}
			return nil
		}),
		workflow.SetQueryHandler(ctx, witness.MarkQuery, func() (witness.Mark, error) { return state.Mark, nil }),
		workflow.SetQueryHandler(ctx, witness.JournalQuery, func(hashes []string) ([]witness.Entry, error) {
			return slices.DeleteFunc(slices.Clone(state.Journal), func(e witness.Entry) bool {
				return !slices.Contains(hashes, e.TxHash)
			}), nil
		}),
		workflow.SetQueryHandler(ctx, witness.SinceQuery, func(seq int64) ([]witness.Entry, error) {
			return slices.DeleteFunc(slices.Clone(state.Journal), func(e witness.Entry) bool { return e.Seq <= seq }), nil
		}),
	); err != nil {
		return err
	}
	if err := workflow.Await(ctx, func() bool {
		return raises >= raisesPerRun || isLong(ctx)
	}); err != nil {
		return err
	}
	if err := finishUpdates(ctx); err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, Witness, state)
}
