package accounts

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/wire"
)

// keyIDPrefix begins the identifiers of keys.
const keyIDPrefix = "sk_"

// maxKeys is the maximum number of application keys of an account.
const maxKeys = 100

// maxLabel is the maximum length of a label in characters.
const maxLabel = 100

// Keys answers requests about application keys.
type Keys struct {
	Store   *postgres.Store
	Confirm access.Asker
	Logins  access.Judge
	Notices notice.Notices
	Clock   func() time.Time
	// TrustedProxies are the nets whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// GrantKey derives the keys of consents: 32 bytes. A consent that is sent twice therefore gets
	// the same key.
	GrantKey []byte
}

type applicationKey struct {
	ID          string      `json:"id" doc:"Identifier of the key" example:"sk_0123456789abcdef01234567"`
	Label       string      `json:"label" doc:"What the merchant or the application calls it" example:"Web shop"`
	Mode        config.Mode `json:"mode" enum:"live,sandbox" doc:"Whose wallet it works with"`
	Permissions []string    `json:"permissions" doc:"What it may do, as granted; some contain others" example:"[\"btcpay.store.canviewinvoices\"]"`
	Prefix      string      `json:"prefix" doc:"First characters of the key" example:"dk_live_0123"`
	Application string      `json:"applicationIdentifier" doc:"What the application called itself when it asked; empty for a key made by hand" example:""`
	Host        string      `json:"redirectHost" doc:"Host that the key was sent to; empty for a key that was shown" example:""`
	CreatedAt   wire.Time   `json:"created_at"`
	LastUsedAt  *wire.Time  `json:"last_used_at" doc:"Last use, to about a minute; null for never"`
}

func keyViewOf(k db.ScopedKey) applicationKey {
	return applicationKey{
		k.ID, k.Label, config.Mode(k.Mode), k.Permissions, k.Prefix, k.ApplicationIdentifier, k.RedirectHost, wire.TimeOf(k.CreatedAt),
		wire.TimeOrNil(k.LastUsedAt),
	}
}

type applicationKeys struct {
	Keys []applicationKey `json:"keys" doc:"The newest first; revoked ones are left out"`
}

type newApplicationKey struct {
	Label       string   `json:"label" doc:"1 to 100 characters" example:"Web shop"`
	Mode        string   `json:"mode" enum:"live,sandbox" example:"live"`
	Permissions []string `json:"permissions" doc:"At least one, without a store" example:"[\"btcpay.store.canviewinvoices\"]"`
	TOTPCode    *string  `json:"totp_code,omitempty" doc:"Needed when two-factor authentication is on" example:"123456"`
}

type madeApplicationKey struct {
	Key     string         `json:"key" doc:"The key; shown only now" example:"dk_live_0123456789abcdef0123456789abcdef0123456789abcdef"`
	Details applicationKey `json:"details"`
}

const keysPath = "/api/account/application-keys"

// Register registers the routes. The pages on which a merchant connects an application are in
// package pages.
func (h *Keys) Register(api operation.API) {
	operation.WithSession(api, operation.Route{ID: "listApplicationKeys", At: "GET " + keysPath}, h.list)
	operation.WithSession(api, operation.Route{ID: "createApplicationKey", At: "POST " + keysPath, Confirmed: true, Recent: true}, h.create)
	operation.WithSession(api, operation.Route{ID: "revokeApplicationKey", At: "POST " + keysPath + "/{id}/revoke"}, h.revoke)
}

func (h *Keys) list(ctx context.Context, m db.Merchant, _ *httpapi.None) (*httpapi.Out[applicationKeys], error) {
	rows, err := h.Store.ListScopedKeys(ctx, m.MerchantID)
	all := make([]applicationKey, len(rows))
	for i, row := range rows {
		all[i] = keyViewOf(row)
	}
	return httpapi.With(applicationKeys{all}, err)
}

func (h *Keys) create(ctx context.Context, m db.Merchant, in *struct {
	Body httpapi.Body[newApplicationKey]
}) (*httpapi.Out[madeApplicationKey], error) {
	fields := in.Body.Value()
	row, err := keyRowOf(fields)
	if err != nil {
		return nil, err
	}
	key := secret.NewScopedKey(row.Mode == string(config.Live))
	h.fill(&row, m.MerchantID, key)
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error { return h.put(ctx, q, held, row) })
	return httpapi.With(madeApplicationKey{key, keyViewOf(db.ScopedKey{
		ID: row.ID, Label: row.Label, Mode: row.Mode, Permissions: row.Permissions, Prefix: row.Prefix, CreatedAt: row.CreatedAt,
	})}, err)
}

// keyRowOf checks the label, mode and permissions of a new key.
func keyRowOf(fields newApplicationKey) (db.PutScopedKeyParams, error) {
	label := strings.TrimSpace(fields.Label)
	if n := utf8.RuneCountInString(label); n == 0 || n > maxLabel || strings.ContainsFunc(label, unicode.IsControl) {
		return db.PutScopedKeyParams{}, httpapi.BadRequest("label must have 1 to %d characters", maxLabel)
	}
	modes := []string{string(config.Live), string(config.Sandbox)}
	if !slices.Contains(modes, fields.Mode) {
		return db.PutScopedKeyParams{}, httpapi.BadRequest("mode must be one of: live, sandbox")
	}
	granted := make([]permission.Permission, len(fields.Permissions))
	for i, name := range fields.Permissions {
		p, known := permission.Parse(name)
		if !known {
			return db.PutScopedKeyParams{}, httpapi.BadRequest("permissions must be among those of stores, without a store")
		}
		granted[i] = p
	}
	if len(granted) == 0 {
		return db.PutScopedKeyParams{}, httpapi.BadRequest("permissions must name at least one")
	}
	return db.PutScopedKeyParams{Label: label, Mode: fields.Mode, Permissions: permission.Of(granted...).Names()}, nil
}

// fill sets the fields of a row that follow from the key.
func (h *Keys) fill(row *db.PutScopedKeyParams, merchantID, key string) {
	row.ID, row.MerchantID, row.KeyHash, row.Prefix = secret.NewID(keyIDPrefix), merchantID, secret.HashAPIKey(key), access.KeyPrefix(key)
	row.CreatedAt = h.Clock()
}

// put inserts a key and notifies the owner. The caller holds the merchant's row. If the key
// exists already, put changes nothing and sends no second notice.
func (h *Keys) put(ctx context.Context, q *db.Queries, held db.Merchant, row db.PutScopedKeyParams) error {
	n, err := q.PutScopedKey(ctx, row)
	if err != nil || n == 0 {
		return err
	}
	count, err := q.CountScopedKeys(ctx, held.MerchantID)
	if err != nil {
		return err
	}
	if count > maxKeys {
		return httpapi.BadRequest("an account has at most %d keys of applications: revoke some", maxKeys)
	}
	return h.Notices.Enqueue(ctx, q, held, notice.KeyGranted, nil)
}

func (h *Keys) revoke(ctx context.Context, m db.Merchant, in *struct {
	ID string `path:"id" doc:"Identifier of the key" example:"sk_0123456789abcdef01234567"`
}) (*httpapi.Out[httpapi.OK], error) {
	if !httpapi.PlainID(in.ID, keyIDPrefix) {
		return nil, errNoSuchKey()
	}
	return httpapi.Done(h.Store.Tx(ctx, func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, m.MerchantID)
		if err != nil {
			return access.NoSession(err)
		}
		if err := access.StillIn(m, held); err != nil {
			return err
		}
		n, err := q.RevokeScopedKey(ctx, db.RevokeScopedKeyParams{ID: in.ID, MerchantID: m.MerchantID, Now: h.Clock()})
		if err != nil {
			return err
		}
		if n == 0 {
			return errNoSuchKey()
		}
		return h.Notices.Enqueue(ctx, q, held, notice.KeyRevoked, nil)
	}))
}

func errNoSuchKey() error { return httpapi.NotFound("key") }
