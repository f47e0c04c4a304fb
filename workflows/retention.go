package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities"
)

// maxBatches bounds the history of one run; what is left waits for the next.
const maxBatches = 200

// Retention removes what is older than the settings allow, in short batches:
// first buyers' fields, later charges and delivery logs. Money that is not
// paid out is never removed.
func Retention(ctx workflow.Context) error {
	var a *activities.Retention
	at := now(ctx)
	for n := 1; n <= maxBatches; n++ {
		var done activities.Pruned
		err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.PruneBatch, activities.PruneBatch{Now: at}).Get(ctx, &done)
		if err != nil {
			return err
		}
		workflow.SetCurrentDetails(ctx, fmt.Sprintf("%d batches, up to what was made before %s", n, at))
		if !done.More {
			return nil
		}
	}
	return nil
}
