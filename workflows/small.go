package workflows

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/incoming"
	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/activities/trades"
	"github.com/durapay/durapay/activities/upkeep"
	"github.com/durapay/durapay/internal/witness"
)

// WatchWorkflowID is the workflow ID of a chain's watcher.
func WatchWorkflowID(chainID string) string { return "watch-" + chainID }

// PoolWorkflowID is the workflow ID of a wallet's address pool.
func PoolWorkflowID(walletID string) string { return "pool-" + walletID }

// ChainInput names a chain.
type ChainInput = incoming.ChainTask

// WalletInput names a wallet.
type WalletInput = incoming.WalletTask

// Watch keeps one watcher over a chain: a long activity that scans it once a second, or when its
// daemon announces something. It never ends; each run is a fresh history.
func Watch(ctx workflow.Context, in ChainInput) error {
	var a *incoming.Watch
	return keep(ctx, WatchQueue(in.ChainID), "watches chain "+in.ChainID+" for payments and blocks", a.WatchChain, Watch, in)
}

// Pool keeps unused addresses of a wallet ready. It never ends; each run is a
// fresh history.
func Pool(ctx workflow.Context, in WalletInput) error {
	var a *incoming.Pool
	return keep(ctx, PoolQueue(in.WalletID), "keeps unused addresses of wallet "+in.WalletID+" ready", a.FillPool, Pool, in)
}

// keep runs a long activity, and then continues as new.
func keep(ctx workflow.Context, queue, details string, activity, again, in any) error {
	workflow.SetCurrentDetails(ctx, details)
	if err := forWatch.at(queue).start(ctx, activity, in).Get(ctx, nil); err != nil {
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
		if err := forPruning.start(ctx, a.PruneData, next).Get(ctx, &done); err != nil {
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

// NoticesWorkflowID is the ID of the schedule that makes mails of notices about business,
// and of its runs.
const NoticesWorkflowID = "notices"

// NoticesEvery is the pause between two runs, and so the longest wait of a notice that is
// due at once.
const NoticesEvery = time.Minute

// Notices makes the mails that are due: immediate ones and digests. A late run makes one
// digest of all days that were missed.
func Notices(ctx workflow.Context) error {
	var a *mails.Handler
	return count(ctx, a.GatherNotices, "Mails")
}

// count runs an activity and shows operators the number that it returns.
func count(ctx workflow.Context, activity any, what string) error {
	var n int
	if err := forPruning.start(ctx, activity).Get(ctx, &n); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** %d", what, n))
	return nil
}

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
	if err := count(ctx, a.CheckOverdue, "Overdue"); err != nil {
		return err
	}
	if err := forOperator.start(ctx, a.CheckFork).Get(ctx, nil); err != nil {
		// Other checks report a daemon that is away, and the next run asks again.
		workflow.GetLogger(ctx).Warn("Forks of the network are not known now.", "error", err)
	}
	return nil
}

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
	failed = forSanctions.start(ctx, a.RefreshSanctions).Get(ctx, &read)
	var stale string
	if err := forDatabase.start(ctx, a.CheckSanctions).Get(ctx, &stale); err != nil {
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

// MailWorkflowID is the workflow ID of the mail that verifies an address.
func MailWorkflowID(verificationID string) string { return "mail-" + verificationID }

// MailInput names the verification. Address and link stay in the database.
type MailInput struct {
	VerificationID string
}

// Mail sends the mail of one verification. The transaction that writes the verification
// also writes the wakeup that starts the workflow. If the mail server does not accept the
// mail in time, the run gives it up and completes: a failed run would be restarted.
func Mail(ctx workflow.Context, in MailInput) error {
	var a *mails.Handler
	task := mails.MailTask{VerificationID: in.VerificationID}
	var state mails.MailState
	if err := forDatabase.start(ctx, a.FindMail, task).Get(ctx, &state); err != nil {
		return err
	}
	if state == mails.MailWaiting {
		workflow.SetCurrentDetails(ctx, "waits for the mail server")
		err := forMail.start(ctx, a.SendMail, task).Get(ctx, &state)
		// SendMail has no permanent failure, so an error means that its time is over.
		if _, tried := errors.AsType[*temporal.ActivityError](err); tried && !temporal.IsCanceledError(err) {
			workflow.SetCurrentDetails(ctx, "given up: the mail server took it at none of the attempts")
			return nil
		}
		if err != nil {
			return err
		}
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("the mail is %s", state))
	return nil
}
