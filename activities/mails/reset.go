package mails

import (
	"context"

	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

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
	return draft{
		state:   mailStateOf(r.SentAt),
		compose: func() (notice.Message, error) { return a.resetMail(r, m) },
		sent: func(ctx context.Context) error {
			return a.Store.MarkResetSent(ctx, db.MarkResetSentParams{ID: r.ID, Now: a.Clock()})
		},
	}, nil
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
		if many, err := a.manyResets(ctx, q, r); err != nil || many {
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

func (a *Handler) manyResets(ctx context.Context, q *db.Queries, r db.PasswordReset) (bool, error) {
	n, err := q.CountPasswordResets(ctx, db.CountPasswordResetsParams{
		EmailIndex: r.EmailIndex, Since: a.Clock().Add(-account.ResetLife),
	})
	return n >= account.MaxResets, err
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
