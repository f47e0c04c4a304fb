package accounts

import (
	"bytes"
	"context"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type newPassword struct {
	Current string `json:"current_password" doc:"The password until now" example:"correct horse battery staple"`
	New     string `json:"new_password" doc:"10 to 200 characters" example:"purple monkey dishwasher"`
}

type passwordSet struct {
	OK    bool   `json:"ok" doc:"Always true"`
	Token string `json:"token" doc:"New session token (JWT); every earlier one is invalid"`
}

type newEmail struct {
	Email    string `json:"email" doc:"New address, at most 254 characters" example:"new@example.com"`
	Password string `json:"password" doc:"The password of the account" example:"correct horse battery staple"`
}

func (h *Logins) setPassword(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newPassword] }) (*httpapi.Out[passwordSet], error) {
	fields := in.Body.Value()
	if fields.Current == "" {
		return nil, httpapi.BadRequest("current_password is required")
	}
	if !account.PasswordLongEnough(fields.New) {
		return nil, httpapi.BadRequest("new_password must have %d to %d characters", account.MinPassword, account.MaxPassword)
	}
	if err := h.Confirm.Password(ctx, m, "current_password", fields.Current); err != nil {
		return nil, err
	}
	hash, err := h.Passwords.Hash(ctx, fields.New)
	if err != nil {
		return nil, err
	}
	var version int32
	err = access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		version, err = q.SetPassword(ctx, db.SetPasswordParams{
			MerchantID: m.MerchantID, PasswordHash: hash, FormerHash: m.PasswordHash,
		})
		if err != nil {
			return httpapi.Missing(err, httpapi.Unauthorized("the password was changed meanwhile"))
		}
		return h.endAccess(ctx, q, m, notice.Password)
	})
	if err != nil {
		return nil, err
	}
	token, err := h.Tokens.Issue(account.Session{MerchantID: m.MerchantID, Version: version, LoginAt: access.SessionOf(ctx).LoginAt})
	return httpapi.With(passwordSet{true, token}, err)
}

// endAccess voids everything that a person with the former password may have started: stored
// sessions, links that reset the password, and a pending change of the email address, which
// would lead to both. It enqueues a notice of the given kind to the merchant.
func (h *Logins) endAccess(ctx context.Context, q *db.Queries, m db.Merchant, kind notice.Kind) error {
	for _, step := range []func(context.Context, string) error{q.DropSessions, q.DropPasswordResets} {
		if err := step(ctx, m.MerchantID); err != nil {
			return err
		}
	}
	if err := h.dropEmailChange(ctx, q, m.MerchantID); err != nil {
		return err
	}
	return h.Notices.Enqueue(ctx, q, m, kind, nil)
}

// dropEmailChange voids a pending link that would change the account's email address. It keeps
// the link that verifies the account's own address for the first time. The caller holds the
// account's row.
func (h *Logins) dropEmailChange(ctx context.Context, q *db.Queries, merchantID string) error {
	m, err := q.GetMerchant(ctx, merchantID)
	if err != nil {
		return err
	}
	if m.EmailVerifiedAt == nil {
		pending, err := q.EmailVerificationOf(ctx, merchantID)
		if postgres.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		email, err := h.Box.Unseal(pending.EmailSealed, secret.VerificationEmailPlace.Of(pending.ID))
		if err != nil {
			return err
		}
		if bytes.Equal(h.Index.Email(string(email)), m.EmailIndex) {
			return nil
		}
	}
	return q.DropEmailVerification(ctx, merchantID)
}

func (h *Logins) setEmail(ctx context.Context, m db.Merchant, in *struct{ Body httpapi.Body[newEmail] }) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	email, err := account.ParseEmail(fields.Email)
	if err != nil {
		return nil, httpapi.BadRequest("%s", err)
	}
	if err := h.Confirm.Password(ctx, m, "password", fields.Password); err != nil {
		return nil, err
	}
	if !h.VerifyEmail {
		err := access.Change(ctx, h.Store, m, func(q *db.Queries) error {
			return h.replaceEmail(ctx, q, m.MerchantID, email, nil)
		})
		if postgres.IsDuplicate(err) {
			return nil, httpapi.BadRequest("the email cannot be used")
		}
		return httpapi.Done(err)
	}
	// The answer does not reveal whether the address is in use. Only the owner of the address
	// learns it, by following the link.
	verify, err := h.beginVerification(ctx, m.MerchantID, email)
	if err != nil {
		return nil, err
	}
	return httpapi.Done(access.Change(ctx, h.Store, m, func(q *db.Queries) error {
		if err := verify(q); err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, m, notice.EmailAsked, nil)
	}))
}
