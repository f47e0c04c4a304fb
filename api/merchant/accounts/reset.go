package accounts

import (
	"context"
	"errors"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type forgotten struct {
	Email string `json:"email" doc:"Address of the account" example:"shop@example.com"`
}

type resetInput struct {
	Token    string `json:"token" doc:"What follows the last slash of the link in the mail, 64 hex digits" example:"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"`
	Password string `json:"password" doc:"New password, 10 to 200 characters" example:"purple monkey dishwasher"`
}

// forgotPassword does the same work for every address, so that neither the answer nor its time
// reveals whether an account has it. The account is looked up later, when the mail is sent.
func (h *Logins) forgotPassword(ctx context.Context, in *struct{ Body httpapi.Body[forgotten] }) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	email, err := account.ParseEmail(fields.Email)
	if err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	if !h.Mails {
		return nil, httpapi.BadRequest("this service sends no mails: ask its operator")
	}
	id, now := secret.NewID(notice.ResetPrefix), h.Clock()
	return httpapi.Done(h.Store.Tx(ctx, func(q *db.Queries) error {
		if err := q.PutPasswordReset(ctx, db.PutPasswordResetParams{
			ID: id, EmailIndex: h.Index.Email(email), CreatedAt: now, ExpiresAt: now.Add(account.ResetLife),
		}); err != nil {
			return err
		}
		return q.WakeMail(ctx, db.WakeMailParams{ID: id})
	}))
}

func (h *Logins) resetPassword(ctx context.Context, in *struct{ Body httpapi.Body[resetInput] }) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	_, err := h.ResetPassword(ctx, fields.Token, fields.Password)
	switch {
	case errors.Is(err, pages.ErrGone):
		return nil, httpapi.BadRequest("the link is no longer valid")
	case errors.Is(err, pages.ErrPassword):
		return nil, httpapi.BadRequest("password must have %d to %d characters", account.MinPassword, account.MaxPassword)
	default:
		return httpapi.Done(err)
	}
}

// ResetLink returns nil if the link of a reset mail is valid, and pages.ErrGone if it is not. It
// implements pages.Resets.
func (h *Logins) ResetLink(ctx context.Context, token string) error {
	_, err := h.Store.FindPasswordReset(ctx, db.FindPasswordResetParams{TokenHash: secret.HashAPIKey(token), Now: h.Clock()})
	return httpapi.Missing(err, pages.ErrGone)
}

// ResetPassword sets a new password for the account that a link was mailed to. It uses the link
// up and ends every session. If the account is unproven, it also ends every grant, the account's
// keys and the second factor. For any other account it returns the token with which the owner
// can end the grants. It implements pages.Resets.
func (h *Logins) ResetPassword(ctx context.Context, token, password string) (end string, err error) {
	// The link is checked before the password is hashed, because hashing costs more.
	link := secret.HashAPIKey(token)
	m, err := h.Store.FindPasswordReset(ctx, db.FindPasswordResetParams{TokenHash: link, Now: h.Clock()})
	switch {
	case postgres.IsNotFound(err):
		return "", pages.ErrGone
	case err != nil:
		return "", err
	case !account.PasswordLongEnough(password):
		return "", pages.ErrPassword
	}
	hash, err := h.Passwords.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = h.Store.Tx(ctx, func(q *db.Queries) error {
		end, err = h.reset(ctx, q, db.UsePasswordResetParams{TokenHash: link, Now: h.Clock(), MerchantID: m.MerchantID}, hash)
		return err
	})
	return end, httpapi.Missing(err, pages.ErrGone)
}

// reset is the part of ResetPassword that runs in a transaction. hash is the hash of the new
// password.
func (h *Logins) reset(ctx context.Context, q *db.Queries, link db.UsePasswordResetParams, hash string) (end string, err error) {
	held, err := q.HoldMerchant(ctx, link.MerchantID)
	if err != nil {
		return "", err
	}
	n, err := q.UsePasswordReset(ctx, link)
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", pages.ErrGone
	}
	after, err := q.ResetPassword(ctx, db.ResetPasswordParams{MerchantID: link.MerchantID, PasswordHash: hash})
	if err != nil {
		return "", err
	}
	if err := h.Admin.RecordReset(ctx, q, link.MerchantID); err != nil {
		return "", err
	}
	kind := notice.PasswordReset
	if h.unproven(held) { // held is the row before the reset
		kind = notice.TakenOver
		err = h.takeOver(ctx, q, held)
	} else {
		end, err = notice.SealEnd(h.Box, after, link.Now)
	}
	if err != nil {
		return "", err
	}
	return end, h.endAccess(ctx, q, after, kind)
}
