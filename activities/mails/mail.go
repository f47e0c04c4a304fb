package mails

import (
	"context"
	"errors"
	"strings"
	"time"

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

// MailTask names a mail. The prefix of its ID is its kind: the verification of an
// address, a notice about a change of the account, notices about business, a buyer's receipt, or a
// request for another password. The field is named after the first kind.
type MailTask struct {
	VerificationID string
}

// MailState is what there is to do about a mail.
type MailState string

// The states of a mail. Missing is a mail whose row was replaced or deleted.
// Needless is a mail that is not sent: a request for another password that has expired,
// or whose address is unknown or had enough of them, a mail about the business of an
// account that is gone, or a receipt whose address was removed.
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
	// Receipt is a buyer's receipt of a charge.
	Receipt Kind = "receipt"
)

func kindOf(id string) Kind {
	switch {
	case strings.HasPrefix(id, notice.IDPrefix):
		return Account
	case strings.HasPrefix(id, notice.BusinessPrefix):
		return Business
	case strings.HasPrefix(id, notice.ResetPrefix):
		return Reset
	case strings.HasPrefix(id, notice.ReceiptPrefix):
		return Receipt
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

// draftOf returns the draft of a mail that a query marks as sent.
func draftOf[Params ~struct {
	Now time.Time
	ID  string
}](a *Handler, id string, sentAt *time.Time, compose func() (notice.Message, error), mark func(context.Context, Params) error) draft {
	d := draft{MailWaiting, compose, func(ctx context.Context) error { return mark(ctx, Params{Now: a.Clock(), ID: id}) }}
	if sentAt != nil {
		d.state = MailSent
	}
	return d
}

// find reads a mail.
func (a *Handler) find(ctx context.Context, id string) (draft, error) {
	look := map[Kind]func(context.Context, string) (draft, error){
		Verification: a.findVerification, Account: a.findNotice, Business: a.findBusiness, Reset: a.findReset, Receipt: a.findReceipt,
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

func (a *Handler) findVerification(ctx context.Context, id string) (draft, error) {
	v, err := a.Store.GetEmailVerification(ctx, id)
	return draftOf(a, id, v.SentAt, func() (notice.Message, error) { return a.verificationMail(v) }, a.Store.MarkVerificationSent), err
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
	return draftOf(a, id, n.SentAt, func() (notice.Message, error) { return a.noticeMail(ctx, n) }, a.Store.MarkNoticeSent), err
}

func (a *Handler) noticeMail(ctx context.Context, n db.AccountNotice) (notice.Message, error) {
	to, err := a.Secret.Unseal(n.EmailSealed, secret.NoticePlace.Of(n.ID))
	if err != nil {
		return notice.Message{}, err
	}
	shop, err := a.Store.GetMerchant(ctx, n.MerchantID)
	if err != nil {
		return notice.Message{}, err
	}
	m := notice.ChangeMail{
		ID: n.ID, To: string(to), Kind: notice.Kind(n.Kind), At: n.CreatedAt, HoldUntil: n.HoldUntil, Shop: shop.BusinessName, PublicURL: a.PublicURL,
	}
	if shop.PayoutAddressMasked != nil {
		m.PayoutAddress = *shop.PayoutAddressMasked
	}
	if m.Kind == notice.PasswordReset {
		if err := a.addStays(ctx, &m, shop, n); err != nil {
			return notice.Message{}, err
		}
	}
	return a.Templates.ChangeMail(m)
}

// addStays adds to the mail about a reset the grants that the reset left in force, with
// the link that ends them. It does so while the address is still the account's and the
// link would be valid.
func (a *Handler) addStays(ctx context.Context, n *notice.ChangeMail, m db.Merchant, row db.AccountNotice) error {
	merchantID := row.MerchantID
	if m.DeletedAt != nil || m.TokenVersion != row.Version || !a.Clock().Before(n.At.Add(account.ResetLife)) {
		return nil
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

// findReset reads a request for another password. The account of its address is looked up
// here, not in the request, so that the duration of the request reveals nothing.
func (a *Handler) findReset(ctx context.Context, id string) (draft, error) {
	r, err := a.Store.GetPasswordReset(ctx, id)
	if err != nil {
		return draft{}, err
	}
	return a.resetDraft(ctx, r)
}

func (a *Handler) resetDraft(ctx context.Context, r db.PasswordReset) (draft, error) {
	m, err := a.Store.GetMerchantByEmail(ctx, r.EmailIndex)
	switch {
	case postgres.IsNotFound(err) || (err == nil && !a.Clock().Before(r.ExpiresAt)):
		return draft{state: MailNeedless}, nil
	case err != nil:
		return draft{}, err
	}
	return draftOf(a, r.ID, r.SentAt, func() (notice.Message, error) { return a.resetMail(r, m) }, a.Store.MarkResetSent), nil
}

// openReset gives a request its token, unless the address had enough of them. It locks
// the merchant's row, so that concurrent requests are counted. A second run finds the
// token of the first.
func (a *Handler) openReset(ctx context.Context, id string) (draft, error) {
	var r db.PasswordReset
	err := a.Store.Tx(ctx, func(q *db.Queries) error {
		var err error
		if r, err = q.HoldPasswordReset(ctx, id); err != nil || r.TokenHash != nil {
			return err
		}
		m, err := q.HoldMerchantByEmail(ctx, r.EmailIndex)
		if err != nil {
			return err
		}
		many, err := q.CountPasswordResets(ctx, db.CountPasswordResetsParams{EmailIndex: r.EmailIndex, Since: a.Clock().Add(-account.ResetLife)})
		if err != nil || many >= account.MaxResets {
			return err
		}
		r, err = a.putResetToken(ctx, q, r, m.MerchantID)
		return err
	})
	switch {
	case postgres.IsNotFound(err) || (err == nil && r.TokenHash == nil):
		return draft{state: MailNeedless}, nil
	case err != nil:
		return draft{}, err
	}
	return a.resetDraft(ctx, r)
}

func (a *Handler) putResetToken(ctx context.Context, q *db.Queries, r db.PasswordReset, merchantID string) (db.PasswordReset, error) {
	token := secret.NewSecret()
	sealed, err := a.Secret.Seal([]byte(token), secret.ResetPlace.Of(r.ID))
	if err != nil {
		return r, err
	}
	r.MerchantID, r.TokenHash, r.TokenSealed = &merchantID, secret.HashAPIKey(token), sealed
	return r, q.OpenPasswordReset(ctx, db.OpenPasswordResetParams{
		ID: r.ID, MerchantID: &merchantID, TokenHash: r.TokenHash, TokenSealed: sealed,
	})
}

func (a *Handler) resetMail(r db.PasswordReset, m db.Merchant) (notice.Message, error) {
	to, err := a.Secret.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return notice.Message{}, err
	}
	token, err := a.Secret.Unseal(r.TokenSealed, secret.ResetPlace.Of(r.ID))
	if err != nil {
		return notice.Message{}, err
	}
	return a.Templates.Reset(notice.Reset{
		ID: r.ID, To: string(to), Link: a.PublicURL + account.ResetPath + string(token), Minutes: int(account.ResetLife.Minutes()),
	})
}
