package keys

import (
	"context"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/confirm"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// LogIn checks a password for the pages. It implements pages.Connections.
func (h *Handler) LogIn(r *http.Request, email, password string) (pages.Visitor, error) {
	ip := web.ClientIP(r, h.TrustedProxies)
	m, err := h.Logins.Password(r.Context(), email, password, ip)
	if err != nil {
		return pages.Visitor{}, refusal(err)
	}
	v := pages.Visitor{MerchantID: m.MerchantID, Version: m.TokenVersion, NeedsCode: m.TotpEnabledAt != nil}
	if v.NeedsCode {
		return v, nil
	}
	return v, h.letIn(r, m, confirm.Factor{}, ip)
}

// GiveCode checks a second factor after LogIn: six digits, or a backup code. It
// implements pages.Connections.
func (h *Handler) GiveCode(r *http.Request, v pages.Visitor, code string) error {
	m, err := h.current(r.Context(), h.Store.GetMerchant, v)
	if err != nil {
		return err
	}
	if m.TotpEnabledAt == nil {
		return pages.ErrLoggedOut // the password was asked for when there was a second factor
	}
	var f confirm.Factor
	f.TOTP, f.Backup = web.TypedCode(code)
	if !f.Given() {
		return pages.ErrWrongLogin
	}
	return h.letIn(r, m, f, web.ClientIP(r, h.TrustedProxies))
}

// letIn ends a login, in the order of the API's.
func (h *Handler) letIn(r *http.Request, m db.Merchant, f confirm.Factor, ip string) error {
	if err := h.Logins.SecondFactor(r.Context(), m, f, ip); err != nil {
		return refusal(err)
	}
	if err := h.refused(m); err != nil {
		return err
	}
	return h.Logins.Succeeded(r, m.MerchantID)
}

// refused says why somebody may not log in whose password was right.
func (h *Handler) refused(m db.Merchant) error {
	switch {
	case h.Logins.Refused(m) == nil:
		return nil
	case m.SuspendedAt != nil:
		return pages.ErrSuspended
	default:
		return pages.ErrUnverified
	}
}

// refusal is why a login fails, in the words of the pages.
func refusal(err error) error {
	p, ok := errors.AsType[*answer.Problem](err)
	if !ok {
		return err
	}
	switch p.Status {
	case http.StatusBadRequest, http.StatusUnauthorized:
		return pages.ErrWrongLogin
	case http.StatusLocked:
		return pages.ErrLocked
	case http.StatusForbidden:
		return pages.ErrBlocked
	default:
		return err
	}
}

// Shop is the shop of a login that was not answered yet, and whether an application
// is connected to it by a key that was sent to a host. It implements
// pages.Connections.
func (h *Handler) Shop(ctx context.Context, l pages.Login, application, host string) (pages.Shop, error) {
	m, err := h.current(ctx, h.Store.GetMerchant, l.Visitor)
	if err != nil {
		return pages.Shop{}, err
	}
	switch _, err := h.Store.GetSession(ctx, db.GetSessionParams{ID: l.ID, MerchantID: l.MerchantID}); {
	case err == nil:
		return pages.Shop{}, pages.ErrLoggedOut
	case !postgres.IsNotFound(err):
		return pages.Shop{}, err
	}
	shop := pages.Shop{Name: m.BusinessName}
	if application != "" {
		shop.Connected, err = h.Store.HasScopedKeyOf(ctx, db.HasScopedKeyOfParams{
			MerchantID: m.MerchantID, ApplicationIdentifier: application, RedirectHost: host,
		})
	}
	return shop, err
}

// current is the merchant of a visitor whose login still counts.
func (h *Handler) current(ctx context.Context, read func(context.Context, string) (db.Merchant, error), v pages.Visitor) (db.Merchant, error) {
	m, err := read(ctx, v.MerchantID)
	switch {
	case postgres.IsNotFound(err):
		return m, pages.ErrLoggedOut
	case err != nil:
		return m, err
	case m.DeletedAt != nil || m.TokenVersion != v.Version:
		return m, pages.ErrLoggedOut
	default:
		return m, h.refused(m)
	}
}

// Grant makes the key of a consent, in the live mode, and ends the login. The same
// consent makes the same key again, as long as that is not revoked. It implements
// pages.Connections.
func (h *Handler) Grant(ctx context.Context, l pages.Login, g pages.Grant) (string, error) {
	key := h.keyOf(l, g.ID)
	row := db.PutScopedKeyParams{
		Label: g.Application, Mode: string(config.Live), Permissions: g.Permissions.Names(), ApplicationIdentifier: g.Identifier,
		RedirectHost: g.Host,
	}
	h.fill(&row, l.MerchantID, key)
	err := h.answer(ctx, l, func(q *db.Queries, held db.Merchant, first bool) error {
		if first {
			return h.put(ctx, q, held, row)
		}
		there, err := hasKey(ctx, q, row.KeyHash)
		if err == nil && !there {
			return pages.ErrLoggedOut
		}
		return err
	})
	if p, full := errors.AsType[*answer.Problem](err); full && p.Status == http.StatusBadRequest {
		return "", pages.ErrTooManyKeys
	}
	return key, err
}

// Deny ends the login, unless it was answered before. It implements
// pages.Connections.
func (h *Handler) Deny(ctx context.Context, l pages.Login, id string) error {
	return h.answer(ctx, l, func(q *db.Queries, _ db.Merchant, first bool) error {
		if first {
			return nil
		}
		there, err := hasKey(ctx, q, secret.HashAPIKey(h.keyOf(l, id)))
		if there {
			return pages.ErrLoggedOut
		}
		return err
	})
}

// keyOf is the key of a consent, whether it was made or not.
func (h *Handler) keyOf(l pages.Login, id string) string {
	return secret.ScopedKeyOf(true, secret.Code(h.GrantKey, id+":"+l.MerchantID))
}

// hasKey says whether a key was made and is not revoked.
func hasKey(ctx context.Context, q *db.Queries, hash []byte) (bool, error) {
	_, err := q.FindScopedKey(ctx, hash)
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// answer ends a login that still counts, and does what was answered in the same
// transaction, while the account's row is held. first is false for a login that had
// ended.
func (h *Handler) answer(ctx context.Context, l pages.Login, do func(q *db.Queries, held db.Merchant, first bool) error) error {
	return h.Store.Tx(ctx, func(q *db.Queries) error {
		held, err := h.current(ctx, q.HoldMerchant, l.Visitor)
		if err != nil {
			return err
		}
		n, err := q.EndLogin(ctx, db.EndLoginParams{ID: l.ID, MerchantID: l.MerchantID, ExpiresAt: l.Ends})
		if err != nil {
			return err
		}
		return do(q, held, n == 1)
	})
}
