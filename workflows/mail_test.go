package workflows_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/workflows"
)

// mailRun runs a mail in a state, with a server that gives these answers. It returns the
// number of sends.
func mailRun(t *testing.T, state mails.MailState, answers ...error) (sends int) {
	t.Helper()
	env := environment()
	env.RegisterActivity(&mails.Handler{})
	env.OnActivity("FindMail", mock.Anything, mails.MailTask{VerificationID: "em_1"}).Return(state, nil)
	env.OnActivity("SendMail", mock.Anything, mails.MailTask{VerificationID: "em_1"}).Maybe().Return(
		func(context.Context, mails.MailTask) (mails.MailState, error) {
			sends++
			return mails.MailSent, answers[min(sends, len(answers))-1]
		})
	env.ExecuteWorkflow(workflows.Mail, workflows.MailInput{VerificationID: "em_1"})
	require.NoError(t, env.GetWorkflowError())
	return sends
}

// TestMailIsSentIfItWaits, and not if it was replaced, sent or refused.
func TestMailIsSentIfItWaits(t *testing.T) {
	t.Parallel()
	require.Equal(t, 1, mailRun(t, mails.MailWaiting, nil))
	for _, state := range []mails.MailState{mails.MailMissing, mails.MailSent, mails.MailRefused, mails.MailNeedless} {
		require.Zero(t, mailRun(t, state, nil), state)
	}
}

func TestMailIsTriedUntilTheServerTakesIt(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	require.Equal(t, 4, mailRun(t, mails.MailWaiting, away, away, away, nil))
	require.Greater(t, mailRun(t, mails.MailWaiting, away), 4, "then it is given up, which is no failure of the run")
}
