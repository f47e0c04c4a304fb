package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/activities/mails"
	"github.com/durapay/durapay/workflows"
)

// mailRun runs a mail that is found at the given check (0 for never), with a server that
// gives these answers. It returns the numbers of checks and sends, and how long the run
// took.
func mailRun(t *testing.T, foundAt int, answers ...error) (checks, sends int, took time.Duration) {
	t.Helper()
	env := environment()
	env.RegisterActivity(&mails.Handler{})
	env.OnActivity("FindMail", mock.Anything, mails.MailTask{VerificationID: "em_1"}).Return(
		func(context.Context, mails.MailTask) (mails.MailState, error) {
			checks++
			if checks == foundAt {
				return mails.MailWaiting, nil
			}
			return mails.MailMissing, nil
		})
	env.OnActivity("SendMail", mock.Anything, mails.MailTask{VerificationID: "em_1"}).Maybe().Return(
		func(context.Context, mails.MailTask) (mails.MailState, error) {
			sends++
			return mails.MailSent, answers[min(sends, len(answers))-1]
		})
	begun := env.Now()
	env.ExecuteWorkflow(workflows.Mail, workflows.MailInput{VerificationID: "em_1"})
	require.NoError(t, env.GetWorkflowError())
	return checks, sends, env.Now().Sub(begun)
}

func TestMailWaitsForItsVerification(t *testing.T) {
	t.Parallel()
	checks, sends, _ := mailRun(t, 1, nil)
	require.Equal(t, []int{1, 1}, []int{checks, sends})
	checks, sends, took := mailRun(t, 4, nil)
	require.Equal(t, []int{4, 1}, []int{checks, sends})
	require.Equal(t, 7*time.Second, took.Truncate(time.Second))
	checks, sends, took = mailRun(t, 0)
	require.Equal(t, []int{7, 0}, []int{checks, sends}, "nothing was written: there is nothing to send")
	require.Equal(t, 63*time.Second, took.Truncate(time.Second))
}

func TestMailIsTriedUntilTheServerTakesIt(t *testing.T) {
	t.Parallel()
	away := errors.New("away")
	_, sends, _ := mailRun(t, 1, away, away, away, nil)
	require.Equal(t, 4, sends)
	_, sends, _ = mailRun(t, 1, away)
	require.Greater(t, sends, 4, "then it is given up, which is no failure of the run")
}
