package accounts

import (
	"context"
	"errors"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// LogIn checks a password that was typed on a page. It implements pages.Connections.
func (h *Keys) LogIn(r *http.Request, email, password string) (pages.Visitor, error) {
	ip := web.ClientIP(r, h.TrustedProxies)
	m, err := h.Logins.Password(r.Context(), email, password, ip)
	if err != nil {
		return pages.Visitor{}, loginError(err)
	}
	v := pages.Visitor{MerchantID: m.MerchantID, Version: m.TokenVersion, NeedsCode: m.TotpEnabledAt != nil}
	if v.NeedsCode {
		return v, nil
	}
	return v, h.letIn(r, m, access.Factor{}, ip)
}

// GiveCode checks a second factor after LogIn: six digits, or a backup code. It implements
// pages.Connections.
func (h *Keys) GiveCode(r *http.Request, v pages.Visitor, code string) error {
	m, err := h.current(r.Context(), h.Store.GetMerchant, v)
	if err != nil {
		return err
	}
	if m.TotpEnabledAt == nil {
		return pages.ErrLoggedOut // the second factor was switched off after LogIn
	}
	var f access.Factor
	f.TOTP, f.Backup = web.TypedCode(code)
	if !f.Given() {
		return pages.ErrWrongLogin
	}
	return h.letIn(r, m, f, web.ClientIP(r, h.TrustedProxies))
}

// letIn completes a login, with the same checks in the same order as the API.
func (h *Keys) letIn(r *http.Request, m db.Merchant, f access.Factor, ip string) error {
	if err := h.Logins.SecondFactor(r.Context(), m, f, ip); err != nil {
		return loginError(err)
	}
	if err := h.refused(m); err != nil {
		return err
	}
	return h.Logins.Succeeded(r, m.MerchantID)
}

// refused returns why a person with the right password may not log in; nil if they may.
func (h *Keys) refused(m db.Merchant) error {
	switch {
	case h.Logins.Refused(m) == nil:
		return nil
	case m.SuspendedAt != nil:
		return pages.ErrSuspended
	default:
		return pages.ErrUnverified
	}
}

// loginError returns the pages' error for a failed login.
func loginError(err error) error {
	p, ok := errors.AsType[*httpapi.Problem](err)
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

// Shop returns the shop of a login that has not been answered yet. Connected is set if the shop
// has a key of this application that was sent to this host. It implements pages.Connections.
func (h *Keys) Shop(ctx context.Context, l pages.Login, application, host string) (pages.Shop, error) {
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

// current returns the merchant of a visitor whose login is still valid. It returns
// pages.ErrLoggedOut for any other.
func (h *Keys) current(ctx context.Context, read func(context.Context, string) (db.Merchant, error), v pages.Visitor) (db.Merchant, error) {
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

// Grant creates the key of a consent in the live mode and ends the login. Sending the same
// consent again returns the same key. If that key was revoked, or the login was answered
// otherwise, Grant returns pages.ErrLoggedOut. It implements pages.Connections.
func (h *Keys) Grant(ctx context.Context, l pages.Login, g pages.Grant) (string, error) {
	key := h.keyOf(l, g.ID)
	row := db.PutScopedKeyParams{
		Label: g.Application, Mode: string(config.Live), Permissions: g.Permissions.Names(), ApplicationIdentifier: g.Identifier,
		RedirectHost: g.Host,
	}
	h.fill(&row, l.MerchantID, key)
	err := h.answer(ctx, l, func(q *db.Queries, held db.Merchant, first bool) error {
		if first {
			if err := h.put(ctx, q, held, row); err != nil {
				return err
			}
			return written(ctx, q, db.InsertActionParams{
				MerchantID: l.MerchantID, PersonID: l.MerchantID, Operation: "createApplicationKey", Path: account.ConnectPath, At: h.Clock(),
			})
		}
		there, err := hasKey(ctx, q, row.KeyHash)
		if err == nil && !there {
			return pages.ErrLoggedOut
		}
		return err
	})
	if p, full := errors.AsType[*httpapi.Problem](err); full && p.Status == http.StatusBadRequest {
		return "", pages.ErrTooManyKeys
	}
	return key, err
}

// Deny ends the login without a key. Denying twice succeeds. If the consent's key exists
// already, Deny returns pages.ErrLoggedOut. It implements pages.Connections.
func (h *Keys) Deny(ctx context.Context, l pages.Login, id string) error {
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

// keyOf computes the key of a consent, whether or not the key was created.
func (h *Keys) keyOf(l pages.Login, id string) string {
	return secret.ScopedKeyOf(true, secret.Code(h.GrantKey, id+":"+l.MerchantID))
}

// hasKey reports whether a key was created and is not revoked.
func hasKey(ctx context.Context, q *db.Queries, hash []byte) (bool, error) {
	_, err := q.FindScopedKey(ctx, hash)
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// answer ends a login that is still valid, and runs do in the same transaction while it holds
// the account's row. first is false if the login had already ended.
func (h *Keys) answer(ctx context.Context, l pages.Login, do func(q *db.Queries, held db.Merchant, first bool) error) error {
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
