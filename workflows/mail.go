package workflows

import (
	"errors"
	"fmt"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/durapay/durapay/activities/mails"
)

// MailWorkflowID is the workflow ID of the mail that verifies an address.
func MailWorkflowID(verificationID string) string { return "mail-" + verificationID }

// MailInput names the verification. Address and link stay in the database.
type MailInput struct {
	VerificationID string
}

// mailChecks is how often the run searches for a verification that is not written yet.
// The pauses begin with one second and double. Together they last about a minute.
const mailChecks = 7

// Mail sends the mail of one verification. It is started before the verification is
// written, so that no crash leaves a verification without its mail. It waits for the
// verification to appear. If none appears, nothing was written and there is nothing to
// send. If the mail server does not accept the mail in time, the run gives it up and
// completes: a failed run would be restarted.
func Mail(ctx workflow.Context, in MailInput) error {
	var a *mails.Handler
	task := mails.MailTask{VerificationID: in.VerificationID}
	state := mails.MailMissing
	for n := 1; ; n++ {
		err := workflow.ExecuteLocalActivity(databaseContext(ctx), a.FindMail, task).Get(ctx, &state)
		if err != nil {
			return err
		}
		if state != mails.MailMissing || n == mailChecks {
			break
		}
		if err := workflow.Sleep(ctx, time.Second<<(n-1)); err != nil {
			return err
		}
	}
	if state == mails.MailWaiting {
		workflow.SetCurrentDetails(ctx, "waits for the mail server")
		err := workflow.ExecuteActivity(mailContext(ctx), a.SendMail, task).Get(ctx, &state)
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
