package auth

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/secret"
)

// NeedKeyFor lets requests through whose header x-api-key has a key of the
// contract, or one of an application that covers a permission.
func (g *Guard) NeedKeyFor(wanted scopedkey.Permission) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		g.letIn(ctx, next, ctx.Header("x-api-key"), errNoKey(), func(caller Key) error { return caller.need(wanted, "") })
	}
}

// NeedPermission lets requests of the Greenfield surface through: with the header
// "Authorization: token <key>", or "Bearer <key>" for a key of an application, that
// covers a permission in the store that storeOf names, or in its own for an empty
// one. 401 without a good key, 403 without the permission or for a store of
// somebody else.
func (g *Guard) NeedPermission(wanted scopedkey.Permission, storeOf func(huma.Context) string) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		refused := answer.Unauthorized("a valid API key is required: Authorization: token <key>")
		g.letIn(ctx, next, KeyOf(ctx.Header("Authorization")), refused, func(caller Key) error {
			return caller.need(wanted, storeOf(ctx))
		})
	}
}

// letIn goes on with the owner of a key who may do what is asked for.
func (g *Guard) letIn(ctx huma.Context, next func(huma.Context), key string, refused error, may func(Key) error) {
	caller, err := g.callerOf(ctx, key, refused)
	if err == nil {
		err = may(caller)
	}
	if err != nil {
		g.errors.Fail(ctx, err)
		return
	}
	ctx = huma.WithValue(ctx, callerKey, caller)
	if caller.by != nil {
		ctx = huma.WithValue(ctx, personKey, *caller.by)
	}
	next(ctx)
}

// callerOf is whose key it is, or who of the desk asks in its place. Either is looked up
// when the body has come: a key that is replaced or revoked before does nothing. What is
// no key, and a client who has tried too many, is refused without waiting for a body.
func (g *Guard) callerOf(ctx huma.Context, key string, refused error) (Key, error) {
	if caller, desk, err := g.deskCaller(ctx); desk {
		if err == nil && ctx.Method() != http.MethodGet {
			err = caller.by.stillOn(ctx.Context(), g.store.Queries) // the visit may have read the account before its form came
		}
		return caller, err
	}
	client := g.limits.ClientOf(ctx)
	sent, err := sentKey(key, refused)
	if err == nil && g.keysTried.Refuses(client, key) {
		err = answer.TooManyCredentials()
	}
	if err != nil {
		return Key{}, err
	}
	if err := request.AwaitBody(ctx); err != nil {
		return Key{}, err
	}
	return g.keyCaller(ctx.Context(), client, sent, refused)
}

// KeyOf is the key of a header Authorization, or empty.
func KeyOf(header string) string {
	scheme, key, _ := strings.Cut(header, " ")
	key = strings.TrimSpace(key)
	if strings.EqualFold(scheme, "token") {
		return key
	}
	if _, scoped := secret.ParseScopedKey(key); scoped && strings.EqualFold(scheme, "Bearer") {
		return key
	}
	return ""
}

// need refuses what the key does not cover, and every store but its own (403).
// Both are answered alike.
func (k Key) need(wanted scopedkey.Permission, store string) error {
	if k.Permissions.Covers(wanted) && (store == "" || secret.Equal([]byte(store), []byte(k.MerchantID))) {
		return nil
	}
	return answer.MissingPermission(string(wanted))
}

// found is a key as it is stored.
type found struct {
	key       Key
	keyHash   []byte
	suspended bool
	usedAt    *time.Time
}

// findKey looks up whose key has a hash: one of the contract, or one of an
// application. postgres.ErrNotFound for nobody's.
func findKey(ctx context.Context, q *db.Queries, hash []byte, scoped bool) (found, error) {
	if !scoped {
		row, err := q.FindAPIKey(ctx, hash)
		return found{
			key:     Key{MerchantID: row.MerchantID, Mode: config.Mode(row.Mode), Permissions: scopedkey.All(), hash: hash, confirmed: row.Confirmed},
			keyHash: row.KeyHash, suspended: row.Suspended,
		}, err
	}
	row, err := q.FindScopedKey(ctx, hash)
	return found{
		key: Key{
			MerchantID: row.MerchantID, Mode: config.Mode(row.Mode), ID: row.ID, Label: row.Label,
			Permissions: scopedkey.FromNames(row.Permissions), hash: hash, confirmed: row.Confirmed,
		},
		keyHash: row.KeyHash, suspended: row.Suspended, usedAt: row.LastUsedAt,
	}, err
}

// usedEvery is how exactly the last use of a key is known.
const usedEvery = time.Minute

// uses writes when keys were used last, beside their requests.
type uses struct {
	store   *postgres.Store
	log     *slog.Logger
	clock   func() time.Time
	mu      sync.Mutex
	writing map[string]struct{}
}

// note writes that a key was used, unless that was written less than a minute ago
// or is being written. No request waits for it, and a use that cannot be written
// is logged only: the next one writes it.
func (u *uses) note(ctx context.Context, key Key, usedAt *time.Time) {
	now := u.clock()
	if usedAt != nil && now.Sub(*usedAt) < usedEvery {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if _, busy := u.writing[key.ID]; busy {
		return
	}
	u.writing[key.ID] = struct{}{}
	go u.write(context.WithoutCancel(ctx), key.ID, now)
}

// write is given five seconds, for a database that hangs.
func (u *uses) write(ctx context.Context, id string, now time.Time) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	err := u.store.NoteScopedKeyUsed(ctx, db.NoteScopedKeyUsedParams{ID: id, Now: now, Before: now.Add(-usedEvery)})
	if err != nil && u.log != nil {
		u.log.WarnContext(ctx, "the last use of a key was not written", slog.Any("error", err))
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.writing, id)
}
