package access

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/secret"
)

// Key is the sender of an API key. It sees only what belongs to its mode.
type Key struct {
	MerchantID string
	Mode       config.Mode
	// Permissions are what the key may do; a key of the contract may do everything.
	Permissions permission.Set
	// ID and Label are those of an application's key; empty for a key of the contract.
	ID, Label string
	// hash is the key's hash.
	hash []byte
	// confirmed is set when the address of the merchant's account was confirmed.
	confirmed bool
	// by is the person whose desk session takes the place of a key, and session is that session.
	// They are nil and empty for a real key.
	by      *Person
	session account.Session
}

type contextKey int

const (
	callerKey contextKey = iota
	sessionKey
	personKey
)

// Of returns the owner of the request's credential. Without a credential it returns the zero
// value, which owns nothing.
func Of[C any](ctx context.Context) C {
	caller, _ := ctx.Value(callerKey).(C)
	return caller
}

// InSandbox reports whether the request has a key of the sandbox.
func InSandbox(ctx context.Context) bool { return Of[Key](ctx).Mode == config.Sandbox }

// SessionOf returns the session that a request belongs to.
func SessionOf(ctx context.Context) account.Session {
	session, _ := ctx.Value(sessionKey).(account.Session)
	return session
}

// Guard checks credentials and lets only authorised requests through.
type Guard struct {
	store  *postgres.Store
	tokens *account.Tokens
	limits *Limits
	errors httpapi.Errors
	clock  func() time.Time
	// keysTried and tokensTried limit how many invalid keys and tokens a client may send.
	keysTried, tokensTried *ratelimit.Credentials
	uses                   *uses
	stepUp, adminPublic    bool
	verifyEmail            bool
}

// GuardSettings are the parameters of NewGuard.
type GuardSettings struct {
	Store  *postgres.Store
	Tokens *account.Tokens
	Limits *Limits
	Errors httpapi.Errors
	Clock  func() time.Time
	// Counter counts the requests of a bucket; nil turns the limits off.
	Counter func(bucket string) httprate.LimitCounter
	// StepUp is set when a session must give the password again before it changes payout settings,
	// the second factor or keys.
	StepUp bool
	// AdminPublic is set when operators are served on the public listener too, not only on the
	// internal one.
	AdminPublic bool
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
}

// NewGuard returns the guard of a service.
func NewGuard(s GuardSettings) *Guard {
	return &Guard{
		store: s.Store, tokens: s.Tokens, limits: s.Limits, errors: s.Errors, clock: s.Clock,
		keysTried:   ratelimit.NewCredentials(s.Counter, "made-up-keys"),
		tokensTried: ratelimit.NewCredentials(s.Counter, "made-up-tokens"),
		uses:        &uses{store: s.Store, log: s.Errors.Log, clock: s.Clock, writing: map[string]struct{}{}},
		stepUp:      s.StepUp, adminPublic: s.AdminPublic, verifyEmail: s.VerifyEmail,
	}
}

// Answering returns a copy of the guard for a surface that words problems differently.
func (g *Guard) Answering(e httpapi.Errors) *Guard {
	same := *g
	same.errors = e
	return &same
}

// sent is a key as the client sent it, and the kind that its form shows.
type sent struct {
	key          string
	live, scoped bool
}

// sentKey parses a key of the contract or of an application. It returns refused for anything
// else.
func sentKey(key string, refused error) (sent, error) {
	live, ok := secret.ParseAPIKey(key)
	scoped := false
	if !ok {
		if live, scoped = secret.ParseScopedKey(key); !scoped {
			return sent{}, refused
		}
	}
	return sent{key, live, scoped}, nil
}

// keyCaller looks up the owner of a key. It returns refused for a key that does not exist. Such
// keys are counted by client: beyond a limit, an unfamiliar key is not looked up any more (429).
// A key of a suspended account counts like one that does not exist.
func (g *Guard) keyCaller(ctx context.Context, client string, sent sent, refused error) (Key, error) {
	if g.keysTried.Refuses(client, sent.key) {
		return Key{}, httpapi.TooManyCredentials()
	}
	hash := secret.HashAPIKey(sent.key)
	found, err := findKey(ctx, g.store.Queries, hash, sent.scoped)
	if err != nil && !postgres.IsNotFound(err) {
		return Key{}, err
	}
	if err != nil || !secret.Equal(hash, found.keyHash) || sent.live != (found.key.Mode == config.Live) {
		g.keysTried.Failed(client)
		return Key{}, refused
	}
	if found.suspended {
		g.keysTried.Failed(client)
		g.keysTried.Bad(sent.key)
		return Key{}, Suspended()
	}
	g.keysTried.Good(sent.key)
	if sent.scoped {
		g.uses.note(ctx, found.key, found.usedAt)
	}
	return found.key, nil
}

func errNoKey() error {
	return httpapi.Unauthorized("a valid API key is required in the header x-api-key")
}

// keyStillOn checks again that a request's key is valid. Meanwhile the key may have been
// replaced or revoked, or the account suspended or deleted.
func keyStillOn(ctx context.Context, q *db.Queries, caller Key) error {
	if caller.by != nil {
		return caller.by.stillOn(ctx, q)
	}
	found, err := findKey(ctx, q, caller.hash, caller.ID != "")
	switch {
	case postgres.IsNotFound(err):
		return errNoKey()
	case err == nil && found.suspended:
		return Suspended()
	default:
		return err
	}
}

// ChangeByKey runs do in a transaction that holds the account's row, after it has checked that
// the key is still valid. It returns the errors of keyStillOn.
func ChangeByKey(ctx context.Context, store *postgres.Store, caller Key, do func(q *db.Queries) error) error {
	return store.TxAgain(ctx, func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, caller.MerchantID)
		if err != nil {
			return NoSession(err)
		}
		if held.SuspendedAt != nil {
			return Suspended()
		}
		if err := keyStillOn(ctx, q, caller); err != nil {
			return err
		}
		return do(q)
	})
}

// NeedSession lets through requests with a valid session token.
func (g *Guard) NeedSession(ctx huma.Context, next func(huma.Context)) {
	session, p, err := g.person(ctx)
	if err != nil {
		g.errors.Fail(ctx, err)
		return
	}
	next(huma.WithValue(huma.WithValue(huma.WithValue(ctx, sessionKey, session), personKey, p), callerKey, p.shop))
}

// sessionMerchant returns the session of a token and its merchant. An invalid token costs no
// lookup and is counted by client, like an invalid key. A signed token is looked up no matter
// what its client did before. If its session has ended or the account is suspended, the refusal
// is counted for that session alone. Beyond a limit, that session is not looked up any more
// (429).
func (g *Guard) sessionMerchant(ctx context.Context, client, header string) (account.Session, db.Merchant, error) {
	refused := httpapi.Unauthorized("a valid session token is required in the header Authorization")
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return account.Session{}, db.Merchant{}, refused
	}
	session, err := g.tokens.Read(strings.TrimSpace(token))
	if err != nil {
		if g.tokensTried.Refuses(client, token) {
			return session, db.Merchant{}, httpapi.TooManyCredentials()
		}
		g.tokensTried.Failed(client)
		return session, db.Merchant{}, refused
	}
	itself := "session " + session.ID
	if g.tokensTried.Refuses(itself, "") {
		return session, db.Merchant{}, httpapi.TooManyCredentials()
	}
	m, err := g.account(ctx, session.MerchantID)
	if err != nil && !postgres.IsNotFound(err) {
		return session, db.Merchant{}, err
	}
	lives := err == nil
	if lives {
		if lives, err = g.lives(ctx, session, m); err != nil {
			return session, db.Merchant{}, err
		}
	}
	if lives && m.SuspendedAt == nil {
		return session, m, nil
	}
	g.tokensTried.Failed(itself)
	if lives {
		return session, db.Merchant{}, Suspended()
	}
	return session, db.Merchant{}, refused
}

// lives reports whether a session is still valid: its token has the account's current version,
// or the session was kept when that version ended the other sessions.
func (g *Guard) lives(ctx context.Context, session account.Session, m db.Merchant) (bool, error) {
	if session.Version == m.TokenVersion || m.DeletedAt != nil {
		return session.Version == m.TokenVersion, nil
	}
	row, err := g.store.GetSession(ctx, db.GetSessionParams{ID: session.ID, MerchantID: m.MerchantID})
	if postgres.IsNotFound(err) {
		return false, nil
	}
	return err == nil && row.TokenVersion != nil && *row.TokenVersion == m.TokenVersion, err
}

// StillIn refuses a change after the account was suspended (403), or a new password or a second
// factor ended its session (401), since the request began. A client may send its body late, and
// the change must not undo the one that ended the session. held is the merchant's row, locked for the change; m is the row with which
// the session was checked.
func StillIn(m, held db.Merchant) error {
	if held.SuspendedAt != nil {
		return Suspended()
	}
	if held.TokenVersion != m.TokenVersion {
		return httpapi.Unauthorized("the session has ended")
	}
	return nil
}

// HoldFor locks a merchant's row for a change. It returns the errors of StillIn.
func HoldFor(ctx context.Context, q *db.Queries, m db.Merchant) error {
	held, err := q.HoldMerchant(ctx, m.MerchantID)
	if err != nil {
		return NoSession(err)
	}
	if err := staffStillOn(ctx, q); err != nil {
		return err
	}
	return StillIn(m, held)
}

// Change runs do in a transaction that holds the merchant's row, if the session is still valid.
// It returns the errors of StillIn.
func Change(ctx context.Context, store *postgres.Store, m db.Merchant, do func(q *db.Queries) error) error {
	return store.TxAgain(ctx, func(q *db.Queries) error {
		if err := HoldFor(ctx, q, m); err != nil {
			return err
		}
		return do(q)
	})
}

// StillOn checks again that the session of a request is valid, for work outside a transaction of
// the API. It returns 401 if the session has ended, and 403 if the account was suspended
// meanwhile or has stopped being an operator's.
func StillOn(ctx context.Context, store *postgres.Store, m db.Merchant) error {
	if err := staffStillOn(ctx, store.Queries); err != nil {
		return err
	}
	now, err := store.GetMerchant(ctx, m.MerchantID)
	switch {
	case err != nil:
		return NoSession(err)
	case now.DeletedAt != nil:
		return NoSession(postgres.ErrNotFound)
	case m.Admin && !now.Admin:
		return errNoOperator()
	default:
		return StillIn(m, now)
	}
}

// StillOn calls the function StillOn with the guard's store.
func (g *Guard) StillOn(ctx context.Context, m db.Merchant) error { return StillOn(ctx, g.store, m) }

// Suspended refuses the owner of a suspended account (403).
func Suspended() error {
	return httpapi.Forbidden("the account is suspended")
}

// NoSession returns 401 for an account that was deleted during the request, and any other error
// unchanged.
func NoSession(err error) error {
	return httpapi.Missing(err, httpapi.Unauthorized("the account was deleted"))
}
