package workflows

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/mails"
)

// NoticesWorkflowID is the ID of the schedule that makes mails of notices about business,
// and of its runs.
const NoticesWorkflowID = "notices"

// NoticesEvery is the pause between two runs, and so the longest wait of a notice that is
// due at once.
const NoticesEvery = time.Minute

// Notices makes the mails that are due: immediate ones and digests. A late run makes one
// digest of all days that were missed.
func Notices(ctx workflow.Context) error {
	var a *mails.BusinessMails
	var made int
	if err := workflow.ExecuteActivity(pruneContext(ctx), a.GatherNotices).Get(ctx, &made); err != nil {
		return err
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**Mails** %d", made))
	return nil
}
