package workflows

import (
	"errors"
	"fmt"

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

// Mail sends the mail of one verification. The transaction that writes the verification
// also writes the wakeup that starts the workflow. If the mail server does not accept the
// mail in time, the run gives it up and completes: a failed run would be restarted.
func Mail(ctx workflow.Context, in MailInput) error {
	var a *mails.Handler
	task := mails.MailTask{VerificationID: in.VerificationID}
	var state mails.MailState
	if err := workflow.ExecuteLocalActivity(forDatabase.local(ctx), a.FindMail, task).Get(ctx, &state); err != nil {
		return err
	}
	if state == mails.MailWaiting {
		workflow.SetCurrentDetails(ctx, "waits for the mail server")
		err := workflow.ExecuteActivity(forMail.on(ctx), a.SendMail, task).Get(ctx, &state)
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
