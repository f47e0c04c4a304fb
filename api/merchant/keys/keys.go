package keys

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/auth"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/scopedkey"
	"github.com/durapay/durapay/internal/secret"
)

func (h *Handler) list(ctx context.Context, m db.Merchant, _ *request.None) (*answer.Out[applicationKeys], error) {
	rows, err := h.Store.ListScopedKeys(ctx, m.MerchantID)
	all := make([]applicationKey, len(rows))
	for i, row := range rows {
		all[i] = viewOf(row)
	}
	return answer.With(applicationKeys{all}, err)
}

func (h *Handler) create(ctx context.Context, m db.Merchant, in *struct {
	Body request.Body[newApplicationKey]
}) (*answer.Out[madeApplicationKey], error) {
	fields, err := in.Body.Read()
	if err != nil {
		return nil, err
	}
	row, err := rowOf(fields)
	if err != nil {
		return nil, err
	}
	key := secret.NewScopedKey(row.Mode == string(config.Live))
	h.fill(&row, m.MerchantID, key)
	err = h.Confirm.Guarded(ctx, m, fields.TOTPCode, func(q *db.Queries, held db.Merchant) error { return h.put(ctx, q, held, row) })
	return answer.With(madeApplicationKey{key, viewOf(db.ScopedKey{
		ID: row.ID, Label: row.Label, Mode: row.Mode, Permissions: row.Permissions, Prefix: row.Prefix, CreatedAt: row.CreatedAt,
	})}, err)
}

// rowOf checks the label, mode and permissions of a new key.
func rowOf(fields newApplicationKey) (db.PutScopedKeyParams, error) {
	label := strings.TrimSpace(fields.Label)
	if n := utf8.RuneCountInString(label); n == 0 || n > maxLabel || strings.ContainsFunc(label, unicode.IsControl) {
		return db.PutScopedKeyParams{}, answer.BadRequest("label must have 1 to %d characters", maxLabel)
	}
	modes := []string{string(config.Live), string(config.Sandbox)}
	if !slices.Contains(modes, fields.Mode) {
		return db.PutScopedKeyParams{}, answer.BadRequest("mode must be one of: live, sandbox")
	}
	granted := make([]scopedkey.Permission, len(fields.Permissions))
	for i, name := range fields.Permissions {
		p, known := scopedkey.Parse(name)
		if !known {
			return db.PutScopedKeyParams{}, answer.BadRequest("permissions must be among those of stores, without a store")
		}
		granted[i] = p
	}
	if len(granted) == 0 {
		return db.PutScopedKeyParams{}, answer.BadRequest("permissions must name at least one")
	}
	return db.PutScopedKeyParams{Label: label, Mode: fields.Mode, Permissions: scopedkey.Of(granted...).Names()}, nil
}

// fill sets the fields of a row that follow from the key.
func (h *Handler) fill(row *db.PutScopedKeyParams, merchantID, key string) {
	row.ID, row.MerchantID, row.KeyHash, row.Prefix = secret.NewID(keyIDPrefix), merchantID, secret.HashAPIKey(key), auth.KeyPrefix(key)
	row.CreatedAt = h.Clock()
}

// put inserts a key and notifies the owner. The caller holds the merchant's row. If the key
// exists already, put changes nothing and sends no second notice.
func (h *Handler) put(ctx context.Context, q *db.Queries, held db.Merchant, row db.PutScopedKeyParams) error {
	n, err := q.PutScopedKey(ctx, row)
	if err != nil || n == 0 {
		return err
	}
	count, err := q.CountScopedKeys(ctx, held.MerchantID)
	if err != nil {
		return err
	}
	if count > maxKeys {
		return answer.BadRequest("an account has at most %d keys of applications: revoke some", maxKeys)
	}
	return h.Notices.Enqueue(ctx, q, held, notice.KeyGranted, nil)
}

func (h *Handler) revoke(ctx context.Context, m db.Merchant, in *struct {
	ID string `path:"id" doc:"Identifier of the key" example:"sk_0123456789abcdef01234567"`
}) (*answer.Out[answer.OK], error) {
	if !request.PlainID(in.ID, keyIDPrefix) {
		return nil, errNoSuchKey()
	}
	return answer.Done(h.Store.Tx(ctx, func(q *db.Queries) error {
		held, err := q.HoldMerchant(ctx, m.MerchantID)
		if err != nil {
			return auth.NoSession(err)
		}
		if err := auth.StillIn(m, held); err != nil {
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

func errNoSuchKey() error { return answer.NotFound("key") }
