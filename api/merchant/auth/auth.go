package auth

import (
	"context"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-chi/httprate"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/ratelimit"
	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/secret"
)

// Key is who sent an API key. It sees what belongs to its mode only.
type Key struct {
	MerchantID string
	Mode       config.Mode
	// Permissions are what the key may do; a key of the contract may do everything.
	Permissions scopedkey.Set
	// ID and Label are those of an application's key; empty for a key of the
	// contract.
	ID, Label string
	// hash is that of the key.
	hash []byte
	// confirmed is set when the address of the merchant's account was confirmed.
	confirmed bool
	// by is who has the session of the desk that stands for a key, and session is that
	// session; nil and empty for a key.
	by      *Person
	session account.Session
}

type contextKey int

const (
	callerKey contextKey = iota
	sessionKey
	personKey
)

// Of is who a credential belongs to. Without one it is nobody, who owns
// nothing.
func Of[C any](ctx context.Context) C {
	caller, _ := ctx.Value(callerKey).(C)
	return caller
}

// SessionOf is the session that a request belongs to.
func SessionOf(ctx context.Context) account.Session {
	session, _ := ctx.Value(sessionKey).(account.Session)
	return session
}

// Guard lets those through who may do what they ask for.
type Guard struct {
	store  *postgres.Store
	tokens *account.Tokens
	limits *limits.Limits
	errors answer.Errors
	clock  func() time.Time
	// keysTried and tokensTried bound how many of them a client may make up.
	keysTried, tokensTried *ratelimit.Credentials
	uses                   *uses
	stepUp, adminPublic    bool
	verifyEmail            bool
}

// Settings are what a guard is made of.
type Settings struct {
	Store  *postgres.Store
	Tokens *account.Tokens
	Limits *limits.Limits
	Errors answer.Errors
	Clock  func() time.Time
	// Counter counts the requests of a bucket; nil turns the limits off.
	Counter func(bucket string) httprate.LimitCounter
	// StepUp is set when changes of where money goes, of the second factor and of
	// keys ask for the password again.
	StepUp bool
	// AdminPublic is set when operators are served on the public listener as well
	// as on the internal one.
	AdminPublic bool
	// VerifyEmail is set when merchants have to confirm their addresses by mail.
	VerifyEmail bool
}

// New makes the guard of a service.
func New(s Settings) *Guard {
	return &Guard{
		store: s.Store, tokens: s.Tokens, limits: s.Limits, errors: s.Errors, clock: s.Clock,
		keysTried:   ratelimit.NewCredentials(s.Counter, "made-up-keys"),
		tokensTried: ratelimit.NewCredentials(s.Counter, "made-up-tokens"),
		uses:        &uses{store: s.Store, log: s.Errors.Log, clock: s.Clock, writing: map[string]struct{}{}},
		stepUp:      s.StepUp, adminPublic: s.AdminPublic, verifyEmail: s.VerifyEmail,
	}
}

// Answering is the same guard on a surface that tells problems otherwise.
func (g *Guard) Answering(e answer.Errors) *Guard {
	same := *g
	same.errors = e
	return &same
}

// sent is a key as a client sent it, and what its form says of it.
type sent struct {
	key          string
	live, scoped bool
}

// sentKey reads a key of the contract or of an application; refused answers for anything
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

// keyCaller finds out whose key it is; refused answers for nobody's. Keys that do not exist
// are counted by client, and beyond their limit no unfamiliar one is looked up (429). A key
// of a suspended account counts like one that does not exist.
func (g *Guard) keyCaller(ctx context.Context, client string, sent sent, refused error) (Key, error) {
	if g.keysTried.Refuses(client, sent.key) {
		return Key{}, answer.TooManyCredentials()
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
	return answer.Unauthorized("a valid API key is required in the header x-api-key")
}

// keyStillOn asks once more whether a key is good that the request began with: it
// may have been replaced or revoked, or the account suspended or deleted, meanwhile.
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

// ChangeByKey makes a change while the account's row is held and the key is
// good, with the errors of keyStillOn.
func ChangeByKey(ctx context.Context, store *postgres.Store, caller Key, do func(q *db.Queries) error) error {
	return store.Tx(ctx, func(q *db.Queries) error {
		if _, err := q.HoldMerchant(ctx, caller.MerchantID); err != nil {
			return NoSession(err)
		}
		if err := keyStillOn(ctx, q, caller); err != nil {
			return err
		}
		return do(q)
	})
}

// NeedSession lets requests with a valid session token through.
func (g *Guard) NeedSession(ctx huma.Context, next func(huma.Context)) {
	session, p, err := g.person(ctx)
	if err != nil {
		g.errors.Fail(ctx, err)
		return
	}
	next(huma.WithValue(huma.WithValue(huma.WithValue(ctx, sessionKey, session), personKey, p), callerKey, p.shop))
}

// sessionMerchant finds out whose session it is. A token that was made up costs
// no lookup and is counted like a key that was. One that is signed is looked up
// whatever its client did before, and is counted by itself once it is refused: a
// session that has ended, or of a suspended account, is not looked up without end.
func (g *Guard) sessionMerchant(ctx context.Context, client, header string) (account.Session, db.Merchant, error) {
	refused := answer.Unauthorized("a valid session token is required in the header Authorization")
	scheme, token, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return account.Session{}, db.Merchant{}, refused
	}
	session, err := g.tokens.Read(strings.TrimSpace(token))
	if err != nil {
		if g.tokensTried.Refuses(client, token) {
			return session, db.Merchant{}, answer.TooManyCredentials()
		}
		g.tokensTried.Failed(client)
		return session, db.Merchant{}, refused
	}
	itself := "session " + session.ID
	if g.tokensTried.Refuses(itself, "") {
		return session, db.Merchant{}, answer.TooManyCredentials()
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

// lives says whether a session has not been ended: its token is of the
// account's version, or it went on when that version ended the others.
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

// StillIn refuses a change whose session was ended after the request began, by
// another password or a second factor: a client may send its body as late as it
// may, and the change must not undo what ended the session. held is the
// merchant's row, held for the change; m the row that the session was judged by.
func StillIn(m, held db.Merchant) error {
	if held.TokenVersion != m.TokenVersion {
		return answer.Unauthorized("the session has ended")
	}
	return nil
}

// HoldFor holds the row of a merchant for a change, with the errors of StillIn.
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

// Change makes a change of a merchant's while the account's row is held and the
// session goes on, with the errors of StillIn.
func Change(ctx context.Context, store *postgres.Store, m db.Merchant, do func(q *db.Queries) error) error {
	return store.Tx(ctx, func(q *db.Queries) error {
		if err := HoldFor(ctx, q, m); err != nil {
			return err
		}
		return do(q)
	})
}

// StillOn asks once more whether a session goes on that the request began with,
// for what is not done in a transaction of the API: 401 if it has ended, 403 if
// the account was suspended meanwhile, or is no operator's any more.
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
	case now.SuspendedAt != nil:
		return Suspended()
	case m.Admin && !now.Admin:
		return errNoOperator()
	default:
		return StillIn(m, now)
	}
}

// StillOn is the function of that name, for the guard of the API.
func (g *Guard) StillOn(ctx context.Context, m db.Merchant) error { return StillOn(ctx, g.store, m) }

// Suspended refuses who has a suspended account (403).
func Suspended() error {
	return answer.Forbidden("the account is suspended")
}

// NoSession answers for an account that was deleted while it was worked with.
func NoSession(err error) error {
	if postgres.IsNotFound(err) {
		return answer.Unauthorized("the account was deleted")
	}
	return err
}
