package merchant

import (
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
	// hash is that of the key.
	hash []byte
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
// client, and beyond their limit no unfamiliar one is looked up (429). A key of a
// suspended account counts like one that does not exist.
func (a *app) keyCaller(ctx context.Context, client, key string) (keyCaller, error) {
	refused := errNoKey()
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
	if found.Suspended {
		a.keysTried.Failed(client)
		a.keysTried.Bad(key)
		return keyCaller{}, errSuspended()
	}
	a.keysTried.Good(key)
	return keyCaller{found.MerchantID, config.Mode(found.Mode), hash}, nil
}

func errNoKey() error {
	return unauthorized("a valid API key is required in the header x-api-key")
}

// keyStillOn asks once more whether a key is good that the request began with: a
// client may send its body as late as it may, and the key may have been
// replaced, or the account suspended or deleted, meanwhile.
func keyStillOn(ctx context.Context, q *db.Queries, caller keyCaller) error {
	found, err := q.FindAPIKey(ctx, caller.hash)
	switch {
	case postgres.IsNotFound(err):
		return errNoKey()
	case err == nil && found.Suspended:
		return errSuspended()
	default:
		return err
	}
}

// changeByKey makes a change while the account's row is held and the key is
// good, with the errors of keyStillOn.
func (a *app) changeByKey(ctx context.Context, caller keyCaller, do func(q *db.Queries) error) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.HoldMerchant(ctx, caller.MerchantID); err != nil {
			return noSession(err)
		}
		if err := keyStillOn(ctx, q, caller); err != nil {
			return err
		}
		return do(q)
	})
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
// no lookup and is counted like a key that was. One that is signed is looked up
// whatever its client did before, and is counted by itself once it is refused: a
// session that has ended, or of a suspended account, is not looked up without end.
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
	itself := "session " + session.ID
	if a.tokensTried.Refuses(itself, "") {
		return session, db.Merchant{}, tooManyCredentials()
	}
	m, err := a.Store.GetMerchant(ctx, session.MerchantID)
	if err != nil && !postgres.IsNotFound(err) {
		return session, db.Merchant{}, err
	}
	lives := err == nil
	if lives {
		if lives, err = a.lives(ctx, session, m); err != nil {
			return session, db.Merchant{}, err
		}
	}
	if lives && m.SuspendedAt == nil {
		return session, m, nil
	}
	a.tokensTried.Failed(itself)
	if lives {
		return session, db.Merchant{}, errSuspended()
	}
	return session, db.Merchant{}, refused
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

// change makes a change of a merchant's while the account's row is held and the
// session goes on, with the errors of stillIn.
func (a *app) change(ctx context.Context, m db.Merchant, do func(q *db.Queries) error) error {
	return a.Store.Tx(ctx, func(q *db.Queries) error {
		if err := holdFor(ctx, q, m); err != nil {
			return err
		}
		return do(q)
	})
}

// stillOn asks once more whether a session goes on that the request began with,
// for what is not done in a transaction of the API: 401 if it has ended, 403 if
// the account was suspended meanwhile, or is no operator's any more.
func (a *app) stillOn(ctx context.Context, m db.Merchant) error {
	now, err := a.Store.GetMerchant(ctx, m.MerchantID)
	switch {
	case err != nil:
		return noSession(err)
	case now.DeletedAt != nil:
		return noSession(postgres.ErrNotFound)
	case now.SuspendedAt != nil:
		return errSuspended()
	case m.Admin && !now.Admin:
		return errNoOperator()
	default:
		return stillIn(m, now)
	}
}

func errSuspended() error {
	return forbidden("the account is suspended")
}
