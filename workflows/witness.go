package workflows

import (
	"errors"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/internal/witness"
)

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
