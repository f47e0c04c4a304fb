package accounts

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// unproven reports whether the owner of an account's address has never confirmed it, although
// the account was opened while addresses were verified. A stranger may have opened such an
// account. An account that was opened while addresses were not verified is treated as a working
// shop: after a password reset its grants are listed, and its owner decides whether to end them.
func (h *Logins) unproven(held db.Merchant) bool {
	return h.VerifyEmail && held.EmailVerifiedAt == nil && held.VerifyBy != nil
}

// endGrants ends every grant that lets another person or program act for a merchant, and removes
// the addresses to which the merchant's money goes. If a payout address was set, sweeps wait for
// PayoutHold, as after a change of that address. held is the merchant's row before the change.
func (h *Logins) endGrants(ctx context.Context, q *db.Queries, held db.Merchant) error {
	now := h.Clock()
	if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: held.MerchantID, Now: now}); err != nil {
		return err
	}
	if held.PayoutAddressSealed == nil || h.PayoutHold == 0 {
		return nil
	}
	return q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: held.MerchantID, Until: now.Add(h.PayoutHold).UTC().Truncate(time.Millisecond)})
}

// newKeys replaces the account's own API keys with random ones that are never shown. The old
// keys stop working, and the owner creates new ones in the account.
func (h *Logins) newKeys(ctx context.Context, q *db.Queries, merchantID string) error {
	for _, mode := range []config.Mode{config.Live, config.Sandbox} {
		if err := access.PutKey(ctx, q, merchantID, mode, secret.NewAPIKey(mode == config.Live), h.Clock()); err != nil {
			return err
		}
	}
	return nil
}

// takeOver leaves an account to the owner of its address alone: it ends the grants, the
// account's keys and the second factor of the person who opened it.
func (h *Logins) takeOver(ctx context.Context, q *db.Queries, held db.Merchant) error {
	if err := h.newKeys(ctx, q, held.MerchantID); err != nil {
		return err
	}
	return h.endPlanted(ctx, q, held)
}

// endPlanted ends the grants and the second factor that the person who opened an account may
// have left in it. It keeps the account's own API keys.
func (h *Logins) endPlanted(ctx context.Context, q *db.Queries, held db.Merchant) error {
	if err := h.endGrants(ctx, q, held); err != nil || held.TotpSecretSealed == nil {
		return err
	}
	if err := q.ResetTwoFactor(ctx, held.MerchantID); err != nil {
		return err
	}
	return q.DropBackupCodes(ctx, held.MerchantID)
}

// Stays lists the grants that a password reset did not end. It returns pages.ErrGone if the
// token is not valid or no longer valid. It implements pages.Resets.
func (h *Logins) Stays(ctx context.Context, token string) (notice.Grants, error) {
	link, ok := notice.OpenEnd(h.Box, token, h.Clock())
	if !ok {
		return notice.Grants{}, pages.ErrGone
	}
	m, err := h.Store.GetMerchant(ctx, link.MerchantID)
	if postgres.IsNotFound(err) || (err == nil && !link.Good(m)) {
		return notice.Grants{}, pages.ErrGone
	}
	if err != nil {
		return notice.Grants{}, err
	}
	return h.Store.GetGrants(ctx, db.GetGrantsParams{MerchantID: link.MerchantID, Now: h.Clock()})
}

// EndStays ends the grants that Stays lists, the account's keys and every session. It works
// once: a second call returns pages.ErrGone. The second factor stays. It implements
// pages.Resets.
func (h *Logins) EndStays(ctx context.Context, token string) error {
	link, ok := notice.OpenEnd(h.Box, token, h.Clock())
	if !ok {
		return pages.ErrGone
	}
	err := h.Store.Tx(ctx, func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, link.MerchantID)
		if err != nil {
			return err
		}
		if !link.Good(held) {
			return pages.ErrGone
		}
		if err := h.endGrants(ctx, q, held); err != nil {
			return err
		}
		if err := h.newKeys(ctx, q, held.MerchantID); err != nil {
			return err
		}
		if err := q.EndSessions(ctx, held.MerchantID); err != nil {
			return err
		}
		return h.endAccess(ctx, q, held, notice.GrantsEnded)
	})
	return httpapi.Missing(err, pages.ErrGone)
}
