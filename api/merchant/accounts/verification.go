package accounts

import (
	"bytes"
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type resendInput struct {
	Email    string `json:"email" example:"shop@example.com"`
	Password string `json:"password" example:"correct horse battery staple"`
}

func (h *Logins) resendVerification(ctx context.Context, in *struct {
	Body httpapi.Body[resendInput]
	httpapi.FromClient
}) (*httpapi.Out[httpapi.OK], error) {
	fields := in.Body.Value()
	m, err := h.Logins.Password(ctx, fields.Email, fields.Password, web.ClientIP(in.Remote(), h.TrustedProxies))
	if err != nil {
		return nil, err
	}
	if !h.VerifyEmail || m.EmailVerifiedAt != nil {
		return nil, httpapi.BadRequest("there is no email address to verify")
	}
	email, err := h.Box.Unseal(m.EmailSealed, secret.EmailPlace.Of(m.MerchantID))
	if err != nil {
		return nil, err
	}
	verify, err := h.beginVerification(ctx, m.MerchantID, string(email))
	if err != nil {
		return nil, err
	}
	return httpapi.Done(h.Store.Tx(ctx, verify))
}

// beginVerification prepares the mail that asks the owner of an address to confirm it. It returns
// a function that inserts the verification and the wakeup of its workflow. An address gets at most five such mails a day, no matter which accounts
// cause them. Beyond that the function inserts nothing, and the former link stays valid. Where
// addresses are not verified, beginVerification does nothing.
func (h *Logins) beginVerification(ctx context.Context, merchantID, email string) (write func(q *db.Queries) error, err error) {
	if !h.VerifyEmail {
		return func(*db.Queries) error { return nil }, nil
	}
	id, token, now := secret.NewID("em_"), secret.NewSecret(), h.Clock()
	row := db.PutEmailVerificationParams{
		ID: id, MerchantID: merchantID, TokenHash: secret.HashAPIKey(token), CreatedAt: now, ExpiresAt: now.Add(account.VerificationLife),
	}
	if row.EmailSealed, err = h.Box.Seal([]byte(email), secret.VerificationEmailPlace.Of(id)); err != nil {
		return nil, err
	}
	if row.TokenSealed, err = h.Box.Seal([]byte(token), secret.VerificationTokenPlace.Of(id)); err != nil {
		return nil, err
	}
	return func(q *db.Queries) error {
		// The answer is the same beyond the limit, so that a client cannot find out what other clients
		// requested.
		within, err := h.Limits.Take(ctx, access.Recipient, q, string(h.Index.Email(email)))
		if err != nil || !within {
			return err
		}
		if err := q.PutEmailVerification(ctx, row); err != nil {
			return err
		}
		return q.WakeMail(ctx, db.WakeMailParams{ID: id, Owner: merchantID})
	}, nil
}

// EmailLink returns nil if the link of a verification mail is valid, and pages.ErrGone if it is
// not. It serves a pages.MailLink.
func (h *Logins) EmailLink(ctx context.Context, token string) error {
	_, err := h.Store.FindEmailVerification(ctx, db.FindEmailVerificationParams{TokenHash: secret.HashAPIKey(token), Now: h.Clock()})
	return httpapi.Missing(err, pages.ErrGone)
}

// ConfirmEmail gives the merchant the address of a verification, marks it as verified and uses
// the link up. It serves a pages.MailLink. It locks the merchant's row before the verification's
// row, in the same order as all other code that locks both.
func (h *Logins) ConfirmEmail(ctx context.Context, token string) error {
	link := db.FindEmailVerificationParams{TokenHash: secret.HashAPIKey(token), Now: h.Clock()}
	err := h.Store.Tx(ctx, func(q *db.Queries) error {
		found, err := q.FindEmailVerification(ctx, link)
		if err != nil {
			return err
		}
		if _, err := q.LockMerchant(ctx, found.MerchantID); err != nil {
			return err
		}
		v, err := q.HoldEmailVerification(ctx, db.HoldEmailVerificationParams(link))
		if err != nil {
			return err
		}
		email, err := h.Box.Unseal(v.EmailSealed, secret.VerificationEmailPlace.Of(v.ID))
		if err != nil {
			return err
		}
		now := h.Clock()
		if err := h.replaceEmail(ctx, q, v.MerchantID, string(email), &now); err != nil {
			return err
		}
		return q.DropEmailVerification(ctx, v.MerchantID)
	})
	// If another account has taken the address meanwhile, that account keeps it.
	if postgres.IsNotFound(err) || postgres.IsDuplicate(err) {
		return pages.ErrGone
	}
	return err
}

// replaceEmail is putEmail that also notifies the former address, if it differs from the new
// one.
func (h *Logins) replaceEmail(ctx context.Context, q *db.Queries, merchantID, email string, verified *time.Time) error {
	held, err := q.HoldMerchant(ctx, merchantID)
	if err != nil {
		return access.NoSession(err)
	}
	if err := h.putEmail(ctx, q, merchantID, email, verified); err != nil {
		return err
	}
	// Grants that need a confirmed address can exist even so: from another version of the service,
	// or from a time when addresses were not verified. The sign-up's keys stay, because the shop
	// uses them.
	if verified != nil && h.unproven(held) {
		if err := h.endPlanted(ctx, q, held); err != nil {
			return err
		}
	}
	if bytes.Equal(held.EmailIndex, h.Index.Email(email)) {
		return nil
	}
	return h.Notices.Enqueue(ctx, q, held, notice.Email, nil)
}

// putEmail sets a merchant's address. verified is nil if the address was not confirmed. If
// another account has the address, it returns an error for which postgres.IsDuplicate is true.
func (h *Logins) putEmail(ctx context.Context, q *db.Queries, merchantID, email string, verified *time.Time) error {
	sealed, err := h.Box.Seal([]byte(email), secret.EmailPlace.Of(merchantID))
	if err != nil {
		return err
	}
	_, err = q.SetEmail(ctx, db.SetEmailParams{
		MerchantID: merchantID, EmailSealed: sealed, EmailIndex: h.Index.Email(email), VerifiedAt: verified,
	})
	return err
}
