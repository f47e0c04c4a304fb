package merchant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

type credentials struct {
	Email    string  `json:"email" example:"shop@example.com"`
	Password string  `json:"password" example:"correct horse battery staple"`
	TOTPCode *string `json:"totp_code,omitempty" doc:"Six digits; only when two-factor authentication is on" example:"123456"`
}

type knownMerchant struct {
	ID           int64  `json:"id" doc:"Number of the account" example:"1"`
	Email        string `json:"email" example:"shop@example.com"`
	BusinessName string `json:"businessName" example:"Example Shop"`
}

type loginResult struct {
	Merchant knownMerchant `json:"merchant"`
	Token    string        `json:"token" doc:"Session token (JWT), valid for 7 days"`
}

// registerLogin adds the login.
func registerLogin(api huma.API, a *app) {
	public(api, a, route{
		id: "login", method: http.MethodPost, path: "/api/auth/login", tag: tagAuth, limit: limitAuth,
		summary: "Log in",
		text: "Five failed logins in a row lock the account for 15 minutes (423). An address with 20 failures in " +
			"15 minutes is blocked for an hour (403).",
		errors: []int{
			http.StatusUnauthorized, http.StatusForbidden, http.StatusLocked,
		},
		request:  map[string]string{"email": "shop@example.com", "password": "correct horse battery staple"},
		response: loginResult{knownMerchant{1, "shop@example.com", "Example Shop"}, exampleToken},
	}, a.login)
}

// fromClient is the client's address of a request.
type fromClient struct{ remote *http.Request }

// Resolve keeps the request; it never fails.
func (c *fromClient) Resolve(ctx huma.Context) []error {
	c.remote, _ = humachi.Unwrap(ctx)
	return nil
}

func (a *app) login(ctx context.Context, in *struct {
	Body body[credentials]
	fromClient
}) (*out[loginResult], error) {
	fields, err := in.Body.read()
	if err != nil {
		return nil, err
	}
	if fields.Email == "" || fields.Password == "" {
		return nil, badRequest("email and password are required")
	}
	m, err := a.authenticate(ctx, fields, web.ClientIP(in.remote, a.TrustedProxies))
	if err != nil {
		return nil, err
	}
	if m.SuspendedAt != nil {
		return nil, errSuspended()
	}
	email, err := a.Box.Unseal(m.EmailSealed, secret.AD{Table: "merchants", Column: "email", ID: m.MerchantID})
	if err != nil {
		return nil, err
	}
	token, err := a.tokens.Issue(account.Session{MerchantID: m.MerchantID, Version: m.TokenVersion})
	return answer(loginResult{knownMerchant{m.ID, string(email), m.BusinessName}, token}, err)
}

// authenticate checks a password. An unknown email takes the same path and
// the same time as a known one with a wrong password.
func (a *app) authenticate(ctx context.Context, c credentials, ip string) (db.Merchant, error) {
	if err := a.refuseBlocked(ctx, ip); err != nil {
		return db.Merchant{}, err
	}
	index := a.Index.Email(c.Email)
	m, err := a.Store.GetMerchantByEmail(ctx, index)
	if err != nil && !postgres.IsNotFound(err) {
		return db.Merchant{}, err
	}
	fits, err := a.passwords.Check(ctx, c.Password, m.PasswordHash, func() error { return a.refuseLocked(ctx, index) })
	if err != nil {
		return db.Merchant{}, err
	}
	if !fits {
		if err := a.countFailure(ctx, index, ip); err != nil {
			return db.Merchant{}, err
		}
		return db.Merchant{}, unauthorized("wrong email or password")
	}
	return m, a.Store.ClearLoginFailures(ctx, index)
}

// refuseBlocked stops addresses that have tried too many passwords.
func (a *app) refuseBlocked(ctx context.Context, ip string) error {
	row, err := a.Store.GetIPFailures(ctx, ip)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil && row.BlockedUntil != nil && a.Clock().Before(*row.BlockedUntil) {
		return forbidden("too many failed logins from this address")
	}
	return err
}

// refuseLocked stops logins to an account that is locked.
func (a *app) refuseLocked(ctx context.Context, index []byte) error {
	row, err := a.Store.GetLoginFailures(ctx, index)
	if postgres.IsNotFound(err) {
		return nil
	}
	if err == nil && row.LockedUntil != nil {
		if wait := row.LockedUntil.Sub(a.Clock()); wait > 0 {
			return locked(wait)
		}
	}
	return err
}

// countFailure counts a failed login for the account and for the address.
func (a *app) countFailure(ctx context.Context, index []byte, ip string) error {
	now := a.Clock()
	until := now.Add(account.LockTime)
	if _, err := a.Store.CountLoginFailure(ctx, db.CountLoginFailureParams{
		EmailIndex: index, Now: now, MaxFailures: account.MaxFailures, LockUntil: until,
	}); err != nil {
		return err
	}
	_, err := a.Store.CountIPFailure(ctx, db.CountIPFailureParams{
		Ip: ip, Now: now, WindowFrom: now.Add(-account.IPWindow), MaxFailures: account.MaxIPFailures,
		BlockUntil: now.Add(account.IPBlockTime),
	})
	return err
}
