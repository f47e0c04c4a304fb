package access

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/refund"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/webhook"
)

// MayView reports whether a key may read the content of an event of a type. A key that manages
// webhooks sees that the event happened. The content of charge and refund events needs the
// permission to view charges or refunds. The content of payout events is only for the account's
// own keys.
func (k Key) MayView(eventType string) bool { return k.Permissions.Covers(permissionOf(eventType)) }

// NeedView refuses a key that may not read the content of an event of a type (403). Whoever has an
// event sent again needs it too, because a key that manages webhooks chooses where they lead.
func (k Key) NeedView(eventType string) error { return k.need(permissionOf(eventType), "") }

func permissionOf(eventType string) permission.Permission {
	switch {
	case eventType == webhook.EventPing:
		return ""
	case strings.HasPrefix(eventType, "charge."), webhook.IsBTCPayEvent(eventType):
		return permission.ViewInvoices
	case strings.HasPrefix(eventType, "refund."):
		return permission.ViewPullPayments
	default:
		return permission.MoveMoney
	}
}

// NeedKeyFor lets through requests whose header x-api-key has a key of the contract, or an
// application's key with the given permission.
func (g *Guard) NeedKeyFor(required permission.Permission) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		g.letIn(ctx, next, ctx.Header("x-api-key"), errNoKey(), func(caller Key) error { return caller.need(required, "") })
	}
}

// NeedPermission lets through requests of the Greenfield surface. They need the header
// "Authorization: token <key>", or "Bearer <key>" for an application's key. The key must have
// the permission in the store that storeOf returns, or in its own store if that is empty.
// Without a valid key the answer is 401. Without the permission, or for another merchant's
// store, it is 403.
func (g *Guard) NeedPermission(required permission.Permission, storeOf func(huma.Context) string) func(ctx huma.Context, next func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		refused := httpapi.Unauthorized("a valid API key is required: Authorization: token <key>")
		g.letIn(ctx, next, KeyOf(ctx.Header("Authorization")), refused, func(caller Key) error {
			return caller.need(required, storeOf(ctx))
		})
	}
}

// letIn calls next with the owner of a key, if may allows the request.
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

// callerOf returns the owner of the key, or the person at the desk who takes its place. The key
// is looked up after the body has arrived, so that a key that was replaced or revoked meanwhile
// has no effect. A malformed key, and a client that has tried too many keys, is refused without
// waiting for the body.
func (g *Guard) callerOf(ctx huma.Context, key string, refused error) (Key, error) {
	if caller, desk, err := g.deskCaller(ctx); desk {
		if err == nil && ctx.Method() != http.MethodGet {
			err = caller.by.stillOn(ctx.Context(), g.store.Queries) // the visit may have read the account before its form arrived
		}
		return caller, err
	}
	client := g.limits.ClientOf(ctx)
	sent, err := sentKey(key, refused)
	if err == nil && g.keysTried.Refuses(client, key) {
		err = httpapi.TooManyCredentials()
	}
	if err != nil {
		return Key{}, err
	}
	if err := httpapi.AwaitBody(ctx); err != nil {
		return Key{}, err
	}
	return g.keyCaller(ctx.Context(), client, sent, refused)
}

// KeyOf returns the key in a header Authorization, or "" if there is none.
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

// need refuses a request that needs a permission which the key lacks, or that names another
// store (403). Both get the same answer.
func (k Key) need(required permission.Permission, store string) error {
	if k.Permissions.Covers(required) && (store == "" || secret.Equal([]byte(store), []byte(k.MerchantID))) {
		return nil
	}
	return httpapi.MissingPermission(string(required))
}

// found is a key as it is stored.
type found struct {
	key       Key
	keyHash   []byte
	suspended bool
	usedAt    *time.Time
}

// findKey looks up a key by its hash: a key of the contract, or an application's key if scoped
// is set. It returns postgres.ErrNotFound if there is none.
func findKey(ctx context.Context, q *db.Queries, hash []byte, scoped bool) (found, error) {
	if !scoped {
		row, err := q.FindAPIKey(ctx, hash)
		return found{
			key:     Key{MerchantID: row.MerchantID, Mode: config.Mode(row.Mode), Permissions: permission.All(), hash: hash, confirmed: row.Confirmed},
			keyHash: row.KeyHash, suspended: row.Suspended,
		}, err
	}
	row, err := q.FindScopedKey(ctx, hash)
	return found{
		key: Key{
			MerchantID: row.MerchantID, Mode: config.Mode(row.Mode), ID: row.ID, Label: row.Label,
			Permissions: permission.FromNames(row.Permissions), hash: hash, confirmed: row.Confirmed,
		},
		keyHash: row.KeyHash, suspended: row.Suspended, usedAt: row.LastUsedAt,
	}, err
}

// usedEvery is the precision with which the last use of a key is known.
const usedEvery = time.Minute

// uses records in the background when keys were last used.
type uses struct {
	store   *postgres.Store
	log     *slog.Logger
	clock   func() time.Time
	mu      sync.Mutex
	writing map[string]struct{}
}

// note records that a key was used, unless the last record is less than a minute old or one is
// being written. Requests do not wait for it. A failure is only logged, because the next use
// writes it.
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

// write gives up after five seconds, for the case that the database hangs.
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

// KeyPrefix returns the part of a key that is stored unencrypted, so that people can distinguish
// keys. The prefixes of application keys are as long as those of the contract's keys.
func KeyPrefix(key string) string { return key[:len(secret.LiveKeyPrefix)+4] }

// PutKey sets a merchant's key of a mode. The former key is invalid at once.
func PutKey(ctx context.Context, q *db.Queries, merchantID string, mode config.Mode, key string, now time.Time) error {
	return q.PutAPIKey(ctx, db.PutAPIKeyParams{
		MerchantID: merchantID, Mode: string(mode), KeyHash: secret.HashAPIKey(key), Prefix: KeyPrefix(key),
		CreatedAt: now,
	})
}

// RefundLeave returns whether the caller may make a refund without approval. A key needs the
// permission for it, which the account's own keys have. A merchant's session at the desk must
// have given the password recently. The limit of a staff member is checked later, with the
// refund itself.
func (g *Guard) RefundLeave(ctx context.Context, k Key) (refund.Leave, error) {
	switch {
	case !k.Permissions.Covers(permission.CreatePullPayments):
		return refund.NoLeave, nil
	case k.by == nil || k.by.Role != permission.Merchant || !g.stepUp:
		return refund.WithinSettings, nil
	}
	recent, err := g.isRecent(ctx, k.session)
	if err == nil && !recent {
		return refund.AfterStepUp, nil
	}
	return refund.WithinSettings, err
}

// Sees returns a refund as the caller may see it. The link lets anyone claim the refund, so only
// callers who manage refunds see it. The link of an automatic refund is worth its money at once:
// it also needs the permission to make such refunds.
func (k Key) Sees(r refund.Refunded) refund.Refunded {
	if !k.Permissions.Covers(permission.ManagePullPayments) || r.Automatic && !k.Permissions.Covers(permission.CreatePullPayments) {
		r.Link = nil
	}
	return r
}
