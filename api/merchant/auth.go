package merchant

import (
	"cmp"
	"context"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
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
	sessionKey
	visitorKey
)

// callerOf is who a credential belongs to. Without one it is nobody, who owns
// nothing.
func callerOf[C any](ctx context.Context) C {
	caller, _ := ctx.Value(callerKey).(C)
	return caller
}

// sessionOf is the session that a request belongs to.
func sessionOf(ctx context.Context) account.Session {
	session, _ := ctx.Value(sessionKey).(account.Session)
	return session
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
	session, m, err := a.sessionMerchant(ctx.Context(), a.clientOf(ctx), ctx.Header("Authorization"))
	if err != nil {
		a.fail(ctx, err)
		return
	}
	next(huma.WithValue(huma.WithValue(ctx, sessionKey, session), callerKey, m))
}

// sessionMerchant finds out whose session it is. A token that was made up costs
// no lookup and is counted like a key that was; one that is signed is always
// looked up, whatever its client did before.
func (a *app) sessionMerchant(ctx context.Context, client, header string) (account.Session, db.Merchant, error) {
	refused := unauthorized("a valid session token is required in the header Authorization")
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return account.Session{}, db.Merchant{}, refused
	}
	session, err := a.tokens.Read(strings.TrimSpace(token))
	if err != nil {
		if a.tokensTried.Refuses(client, token) {
			return session, db.Merchant{}, tooManyCredentials()
		}
		a.tokensTried.Failed(client)
		return session, db.Merchant{}, refused
	}
	m, err := a.Store.GetMerchant(ctx, session.MerchantID)
	if postgres.IsNotFound(err) {
		return session, db.Merchant{}, refused
	}
	if err != nil {
		return session, db.Merchant{}, err
	}
	if lives, err := a.lives(ctx, session, m); err != nil || !lives {
		return session, db.Merchant{}, cmp.Or(err, refused)
	}
	if m.SuspendedAt != nil {
		return session, db.Merchant{}, errSuspended()
	}
	return session, m, nil
}

// lives says whether a session has not been ended: its token is of the
// account's version, or it went on when that version ended the others.
func (a *app) lives(ctx context.Context, session account.Session, m db.Merchant) (bool, error) {
	if session.Version == m.TokenVersion || m.DeletedAt != nil {
		return session.Version == m.TokenVersion, nil
	}
	row, err := a.Store.GetSession(ctx, db.GetSessionParams{ID: session.ID, MerchantID: m.MerchantID})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && row.TokenVersion != nil && *row.TokenVersion == m.TokenVersion, err
}

// stillIn refuses a change whose session was ended after the request began, by
// another password or a second factor: a client may send its body as late as it
// may, and the change must not undo what ended the session. held is the
// merchant's row, held for the change; m the row that the session was judged by.
func stillIn(m, held db.Merchant) error {
	if held.TokenVersion != m.TokenVersion {
		return unauthorized("the session has ended")
	}
	return nil
}

// holdFor holds the row of a merchant for a change, with the errors of stillIn.
func holdFor(ctx context.Context, q *db.Queries, m db.Merchant) error {
	held, err := q.HoldMerchant(ctx, m.MerchantID)
	if err != nil {
		return noSession(err)
	}
	return stillIn(m, held)
}

func errSuspended() error {
	return forbidden("the account is suspended")
}
