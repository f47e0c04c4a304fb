package mails

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.temporal.io/sdk/worker"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// Handler has the activities of the mail workflow.
type Handler struct {
	Store  *postgres.Store
	Secret *secret.Box
	// Sender hands mails to a server; nil if none is configured.
	Sender interface {
		Send(ctx context.Context, m notice.Message) error
	}
	Templates *notice.Templates
	// PublicURL is the base URL of the link, without a trailing slash.
	PublicURL string
	Clock     func() time.Time
	// Finished receives the end of a mail of a kind: MailSent or MailRefused.
	Finished func(Kind, MailState)
}

// Register adds the activities of mails, except the sending.
func Register(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.FindMail)
}

// RegisterOutside adds the sending of mails.
func RegisterOutside(w worker.ActivityRegistry, h *Handler) {
	w.RegisterActivity(h.SendMail)
}

// MailTask names a mail. The prefix of its ID is its kind: the verification of an
// address, a notice about a change of the account, notices about business, or a request
// for another password. The field is named after the first kind.
type MailTask struct {
	VerificationID string
}

// MailState is what there is to do about a mail.
type MailState string

// The states of a mail. Missing is a mail whose row was replaced or deleted.
// Needless is a mail that is not sent: a request for another password that has expired,
// or whose address is unknown or had enough of them, or a mail about the business of an
// account that is gone.
const (
	MailMissing  MailState = "missing"
	MailWaiting  MailState = "waiting"
	MailSent     MailState = "sent"
	MailRefused  MailState = "refused"
	MailNeedless MailState = "needless"
)

// Kind is what a mail is about.
type Kind string

// The kinds of mails.
const (
	Verification Kind = "verification"
	Reset        Kind = "reset"
	// Account is a change of the account, Business is an event in it.
	Account  Kind = "account"
	Business Kind = "business"
)

func kindOf(id string) Kind {
	switch {
	case strings.HasPrefix(id, notice.IDPrefix):
		return Account
	case strings.HasPrefix(id, notice.BusinessPrefix):
		return Business
	case strings.HasPrefix(id, notice.ResetPrefix):
		return Reset
	default:
		return Verification
	}
}

// draft is a mail to write: its state, how it is composed while it waits, and how it is
// recorded that it was sent.
type draft struct {
	state   MailState
	compose func() (notice.Message, error)
	sent    func(ctx context.Context) error
}

// find reads a mail.
func (a *Handler) find(ctx context.Context, id string) (draft, error) {
	look := map[Kind]func(context.Context, string) (draft, error){
		Verification: a.findVerification, Account: a.findNotice, Business: a.findBusiness, Reset: a.findReset,
	}
	d, err := look[kindOf(id)](ctx, id)
	if postgres.IsNotFound(err) {
		return draft{state: MailMissing}, nil
	}
	return d, err
}

// FindMail returns whether the mail waits to be sent. A second run reads a second time.
func (a *Handler) FindMail(ctx context.Context, in MailTask) (MailState, error) {
	d, err := a.find(ctx, in.VerificationID)
	return d.state, err
}

// errNoMailServer means that the settings name no mail server. The mail waits for one as
// long as it is of use.
var errNoMailServer = errors.New("no mail server is configured")

// SendMail hands the mail to the server and records that. A recorded mail is not sent
// twice. A mail whose sending was interrupted before the record is repeated, with the
// same Message-ID and text, except for the token of a link that turns notices off. A mail
// whose cause is gone is not sent.
func (a *Handler) SendMail(ctx context.Context, in MailTask) (MailState, error) {
	kind := kindOf(in.VerificationID)
	d, err := a.find(ctx, in.VerificationID)
	if err != nil || d.state != MailWaiting {
		return d.state, err
	}
	if a.Sender == nil {
		return "", errNoMailServer
	}
	if kind == Reset {
		if d, err = a.openReset(ctx, in.VerificationID); err != nil || d.state != MailWaiting {
			return d.state, err
		}
	}
	m, err := d.compose()
	if err != nil {
		return "", err
	}
	err = a.Sender.Send(ctx, m)
	if errors.Is(err, notice.ErrRefused) {
		a.Finished(kind, MailRefused)
		return MailRefused, nil
	}
	if err != nil {
		return "", err
	}
	if err := d.sent(ctx); err != nil {
		return "", err
	}
	a.Finished(kind, MailSent)
	return MailSent, nil
}

func mailStateOf(sentAt *time.Time) MailState {
	if sentAt != nil {
		return MailSent
	}
	return MailWaiting
}

func (a *Handler) findVerification(ctx context.Context, id string) (draft, error) {
	v, err := a.Store.GetEmailVerification(ctx, id)
	return draft{
		state:   mailStateOf(v.SentAt),
		compose: func() (notice.Message, error) { return a.verificationMail(v) },
		sent: func(ctx context.Context) error {
			return a.Store.MarkVerificationSent(ctx, db.MarkVerificationSentParams{ID: v.ID, Now: a.Clock()})
		},
	}, err
}

func (a *Handler) verificationMail(v db.EmailVerification) (notice.Message, error) {
	to, err := a.Secret.Unseal(v.EmailSealed, secret.VerificationEmailPlace.Of(v.ID))
	if err != nil {
		return notice.Message{}, err
	}
	token, err := a.Secret.Unseal(v.TokenSealed, secret.VerificationTokenPlace.Of(v.ID))
	if err != nil {
		return notice.Message{}, err
	}
	return a.Templates.Verification(notice.Verification{
		ID: v.ID, To: string(to), Link: a.PublicURL + account.VerificationPath + string(token),
		Hours: int(account.VerificationLife.Hours()),
	})
}

func (a *Handler) findNotice(ctx context.Context, id string) (draft, error) {
	n, err := a.Store.GetAccountNotice(ctx, id)
	return draft{
		state:   mailStateOf(n.SentAt),
		compose: func() (notice.Message, error) { return a.noticeMail(ctx, n) },
		sent: func(ctx context.Context) error {
			return a.Store.MarkNoticeSent(ctx, db.MarkNoticeSentParams{ID: n.ID, Now: a.Clock()})
		},
	}, err
}

func (a *Handler) noticeMail(ctx context.Context, n db.AccountNotice) (notice.Message, error) {
	to, err := a.Secret.Unseal(n.EmailSealed, secret.NoticePlace.Of(n.ID))
	if err != nil {
		return notice.Message{}, err
	}
	m := notice.ChangeMail{ID: n.ID, To: string(to), Kind: notice.Kind(n.Kind), At: n.CreatedAt, HoldUntil: n.HoldUntil}
	if m.Kind == notice.PasswordReset {
		if err := a.addStays(ctx, &m, n); err != nil {
			return notice.Message{}, err
		}
	}
	return a.Templates.ChangeMail(m)
}

// addStays adds to the mail about a reset the grants that the reset left in force, with
// the link that ends them. It does so while the address is still the account's and the
// link would be valid.
func (a *Handler) addStays(ctx context.Context, n *notice.ChangeMail, row db.AccountNotice) error {
	merchantID := row.MerchantID
	m, err := a.Store.GetMerchant(ctx, merchantID)
	if err != nil || m.DeletedAt != nil || m.TokenVersion != row.Version || !a.Clock().Before(n.At.Add(account.ResetLife)) {
		return err
	}
	email, err := a.Secret.Unseal(m.EmailSealed, secret.EmailPlace.Of(merchantID))
	if err != nil || string(email) != n.To {
		return err
	}
	if n.Stays, err = a.Store.GetGrants(ctx, db.GetGrantsParams{MerchantID: merchantID, Now: a.Clock()}); err != nil {
		return err
	}
	token, err := notice.SealEnd(a.Secret, m, n.At)
	n.EndLink = a.PublicURL + account.EndPath + token
	return err
}
