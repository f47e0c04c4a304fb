package merchant

import (
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// keyCaller is who sent an API key. It sees what belongs to its mode only.
type keyCaller struct {
	MerchantID string
	Mode       config.Mode
}

type contextKey int

const (
	callerKey contextKey = iota
	formKey
	visitorKey
)

// callerOf is who a credential belongs to. Without one it is nobody, who owns
// nothing.
func callerOf[C any](ctx context.Context) C {
	caller, _ := ctx.Value(callerKey).(C)
	return caller
}

// needKey lets requests with a valid API key through.
func (a *app) needKey(ctx huma.Context, next func(huma.Context)) {
	caller, err := a.keyCaller(ctx.Context(), a.clientOf(ctx), ctx.Header("x-api-key"))
	if err != nil {
		a.fail(ctx, err)
		return
	}
	next(huma.WithValue(ctx, callerKey, caller))
}

// keyCaller finds out whose key it is. Keys that do not exist are counted by
// client, and beyond their limit no unfamiliar one is looked up (429).
func (a *app) keyCaller(ctx context.Context, client, key string) (keyCaller, error) {
	refused := unauthorized("a valid API key is required in the header x-api-key")
	live, ok := secret.ParseAPIKey(key)
	if !ok {
		return keyCaller{}, refused
	}
	if a.keysTried.Refuses(client, key) {
		return keyCaller{}, tooManyCredentials()
	}
	hash := secret.HashAPIKey(key)
	found, err := a.Store.FindAPIKey(ctx, hash)
	if err != nil && !postgres.IsNotFound(err) {
		return keyCaller{}, err
	}
	if err != nil || !secret.Equal(hash, found.KeyHash) || live != (found.Mode == string(config.Live)) {
		a.keysTried.Failed(client)
		return keyCaller{}, refused
	}
	a.keysTried.Good(key)
	if found.Suspended {
		return keyCaller{}, errSuspended()
	}
	return keyCaller{MerchantID: found.MerchantID, Mode: config.Mode(found.Mode)}, nil
}

// clientOf names the client of a request: by address, or by circuit.
func (a *app) clientOf(ctx huma.Context) string {
	r, _ := humachi.Unwrap(ctx)
	return web.ClientIP(r, a.TrustedProxies)
}

// needSession lets requests with a valid session token through.
func (a *app) needSession(ctx huma.Context, next func(huma.Context)) {
	m, err := a.sessionMerchant(ctx.Context(), a.clientOf(ctx), ctx.Header("Authorization"))
	if err != nil {
		a.fail(ctx, err)
		return
	}
	next(huma.WithValue(ctx, callerKey, m))
}

// needAdmin lets the sessions of admins through.
func (a *app) needAdmin(ctx huma.Context, next func(huma.Context)) {
	if !callerOf[db.Merchant](ctx.Context()).Admin {
		a.fail(ctx, forbidden("this is for operators"))
		return
	}
	next(ctx)
}

// sessionMerchant finds out whose session it is. A token that was made up costs
// no lookup and is counted like a key that was; one that is signed is always
// looked up, whatever its client did before.
func (a *app) sessionMerchant(ctx context.Context, client, header string) (db.Merchant, error) {
	refused := unauthorized("a valid session token is required in the header Authorization")
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return db.Merchant{}, refused
	}
	session, err := a.tokens.Read(strings.TrimSpace(token))
	if err != nil {
		if a.tokensTried.Refuses(client, token) {
			return db.Merchant{}, tooManyCredentials()
		}
		a.tokensTried.Failed(client)
		return db.Merchant{}, refused
	}
	m, err := a.Store.GetMerchant(ctx, session.MerchantID)
	if postgres.IsNotFound(err) || (err == nil && m.TokenVersion != session.Version) {
		return db.Merchant{}, refused
	}
	if err != nil {
		return db.Merchant{}, err
	}
	if m.SuspendedAt != nil {
		return db.Merchant{}, errSuspended()
	}
	return m, nil
}

func errSuspended() error {
	return forbidden("the account is suspended")
}
