package server

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres/db"
)

const keyPath = "/api/v1/api-keys/current"

type apiKey struct {
	APIKey      string   `json:"apiKey" doc:"The key that the request was sent with"`
	Label       string   `json:"label" doc:"The application that it was made for"`
	Permissions []string `json:"permissions" doc:"What it was granted, each with its store"`
}

func (h *Server) registerKey(api dialect.API) {
	dialect.WithKey(api, dialect.Route{
		ID: "ApiKeys_GetCurrentApiKey", Method: http.MethodGet, Path: keyPath, Tag: dialect.TagAPIKeys,
		Summary: "Get what the key may do", Text: "Any key will do.",
		Response: apiKey{Label: "WooCommerce", Permissions: []string{permission.ViewInvoices.In(example.MerchantID), permission.CreateInvoice.In(example.MerchantID)}},
	}, h.currentKey)
	dialect.WithKey(api, dialect.Route{
		ID: "ApiKeys_DeleteCurrentApiKey", Method: http.MethodDelete, Path: keyPath, Tag: dialect.TagAPIKeys,
		Summary: "Revoke the key", Text: "It opens nothing from then on, and the owner is told by mail. The two keys of the account are changed in the account.",
		Errors: []int{http.StatusForbidden},
	}, h.revokeKey)
}

// sent is the header with the key.
type sent struct {
	Authorization string `header:"Authorization" hidden:"true"`
}

func (h *Server) currentKey(_ context.Context, caller access.Key, in *sent) (*httpapi.Out[apiKey], error) {
	return httpapi.With(apiKey{APIKey: access.KeyOf(in.Authorization), Label: caller.Label, Permissions: caller.Permissions.In(caller.MerchantID)}, nil)
}

func (h *Server) revokeKey(ctx context.Context, caller access.Key, _ *httpapi.None) (*struct{}, error) {
	if caller.ID == "" {
		return nil, httpapi.Forbidden("this key is the account's: it is changed in the account")
	}
	return nil, access.ChangeByKey(ctx, h.Store, caller, func(q *db.Queries) error {
		if _, err := q.RevokeScopedKey(ctx, db.RevokeScopedKeyParams{ID: caller.ID, MerchantID: caller.MerchantID, Now: h.Clock()}); err != nil {
			return err
		}
		m, err := q.GetMerchant(ctx, caller.MerchantID)
		if err != nil {
			return err
		}
		return h.Notices.Enqueue(ctx, q, m, notice.KeyRevoked, nil)
	})
}
