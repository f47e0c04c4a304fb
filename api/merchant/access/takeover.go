package access

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// unproven reports whether the owner of an account's address has never shown up: it was opened
// where addresses are verified, and nobody confirmed it. So whoever opened it may be somebody
// else. An account that was opened while nothing was verified is a shop that works: what it
// has is listed after a reset of the password, and its owner ends it.
func (h *Handler) unproven(held db.Merchant) bool {
	return h.VerifyEmail && held.EmailVerifiedAt == nil && held.VerifyBy != nil
}

// endGrants ends everything that lets others act for a merchant, and where the money goes.
// Whoever sets a payout address anew waits with sweeps as after a change of it. held is the
// row before.
func (h *Handler) endGrants(ctx context.Context, q *db.Queries, held db.Merchant) error {
	now := h.Clock()
	if err := q.EndGrants(ctx, db.EndGrantsParams{MerchantID: held.MerchantID, Now: now}); err != nil {
		return err
	}
	if held.PayoutAddressSealed == nil || h.PayoutHold == 0 {
		return nil
	}
	return q.HoldPayouts(ctx, db.HoldPayoutsParams{MerchantID: held.MerchantID, Until: now.Add(h.PayoutHold).UTC().Truncate(time.Millisecond)})
}

// newKeys puts keys in the place of the account's own that nobody has seen: the owner makes
// others in the account.
func (h *Handler) newKeys(ctx context.Context, q *db.Queries, merchantID string) error {
	for _, mode := range []config.Mode{config.Live, config.Sandbox} {
		if err := auth.PutKey(ctx, q, merchantID, mode, secret.NewAPIKey(mode == config.Live), h.Clock()); err != nil {
			return err
		}
	}
	return nil
}

// takeOver gives an account to the owner of its address alone: grants, account keys and the
// second factor of whoever opened it end.
func (h *Handler) takeOver(ctx context.Context, q *db.Queries, held db.Merchant) error {
	if err := h.newKeys(ctx, q, held.MerchantID); err != nil {
		return err
	}
	return h.endPlanted(ctx, q, held)
}

// endPlanted ends what whoever opened an account may have planted, but for its keys.
func (h *Handler) endPlanted(ctx context.Context, q *db.Queries, held db.Merchant) error {
	if err := h.endGrants(ctx, q, held); err != nil || held.TotpSecretSealed == nil {
		return err
	}
	if err := q.ResetTwoFactor(ctx, held.MerchantID); err != nil {
		return err
	}
	return q.DropBackupCodes(ctx, held.MerchantID)
}

// Stays lists what a reset of the password left. It implements pages.Resets.
func (h *Handler) Stays(ctx context.Context, token string) (notice.Grants, error) {
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
	return notice.GrantsOf(ctx, h.Store.Queries, link.MerchantID, h.Clock())
}

// EndStays ends what Stays lists, and every session, once. The second factor stays. It
// implements pages.Resets.
func (h *Handler) EndStays(ctx context.Context, token string) error {
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
	if postgres.IsNotFound(err) {
		return pages.ErrGone
	}
	return err
}
