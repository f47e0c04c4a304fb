package activities

import (
	"context"
	"errors"
	"time"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/mail"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Mails are the activities of the mail workflow.
type Mails struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sender hands mails to a server; nil when there is none.
	Sender interface {
		Send(ctx context.Context, m mail.Message) error
	}
	Templates *mail.Templates
	// PublicURL is the base URL of the link, without a trailing slash.
	PublicURL string
	Clock     func() time.Time
}

// MailTask names the verification that a mail is about.
type MailTask struct {
	VerificationID string
}

// MailState says what there is to do about a mail.
type MailState string

// The states of a mail. Missing is a verification that is not written yet, or
// that another replaced.
const (
	MailMissing MailState = "missing"
	MailWaiting MailState = "waiting"
	MailSent    MailState = "sent"
	MailRefused MailState = "refused"
)

// FindMail tells whether the mail waits to be sent. Run twice, it looks twice.
func (a *Mails) FindMail(ctx context.Context, in MailTask) (MailState, error) {
	v, err := a.Store.GetEmailVerification(ctx, in.VerificationID)
	switch {
	case postgres.IsNotFound(err):
		return MailMissing, nil
	case err != nil:
		return "", err
	case v.SentAt != nil:
		return MailSent, nil
	default:
		return MailWaiting, nil
	}
}

// errNoMailServer says that the settings name no mail server; the mail waits
// for one as long as its link is valid.
var errNoMailServer = errors.New("no mail server is configured")

// SendMail hands the mail to the server and records that. A mail that is
// recorded is not sent again; one that was cut off before is, with the same
// link and the same Message-ID. One whose verification is gone is not sent.
func (a *Mails) SendMail(ctx context.Context, in MailTask) (MailState, error) {
	v, err := a.Store.GetEmailVerification(ctx, in.VerificationID)
	if postgres.IsNotFound(err) {
		return MailMissing, nil
	}
	if err != nil {
		return "", err
	}
	if v.SentAt != nil {
		return MailSent, nil
	}
	if a.Sender == nil {
		return "", errNoMailServer
	}
	m, err := a.verificationMail(v)
	if err != nil {
		return "", err
	}
	err = a.Sender.Send(ctx, m)
	if errors.Is(err, mail.ErrRefused) {
		return MailRefused, nil
	}
	if err != nil {
		return "", err
	}
	return MailSent, a.Store.MarkVerificationSent(ctx, db.MarkVerificationSentParams{ID: v.ID, Now: a.Clock()})
}

func (a *Mails) verificationMail(v db.EmailVerification) (mail.Message, error) {
	to, err := a.Secret.Unseal(v.EmailSealed, secret.AD{Table: "email_verifications", Column: "email", ID: v.ID})
	if err != nil {
		return mail.Message{}, err
	}
	token, err := a.Secret.Unseal(v.TokenSealed, secret.AD{Table: "email_verifications", Column: "token", ID: v.ID})
	if err != nil {
		return mail.Message{}, err
	}
	return a.Templates.Verification(mail.Verification{
		ID: v.ID, To: string(to), Link: a.PublicURL + account.VerificationPath + string(token),
		Hours: int(account.VerificationLife.Hours()),
	})
}
