// Package server is the room for what plugins request before they use the server: facts about
// it, its health and the key of the request (Server), and the store of that key with its payment
// methods (Stores).
package server

import (
	"context"
	"net/http"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/example"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/permission"
	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
)

// version is the version of the dialect. Plugins compare it with the BTCPay version that they
// need: WooCommerce's plugin disables refunds below 1.7.6.
const version = "2.3.0"

// Server answers requests about the server and about the key of the request.
type Server struct {
	Store   *postgres.Store
	Notices notice.Notices
	Clock   func() time.Time
	// OnionURL is the base URL of the onion mirror; empty for none.
	OnionURL string
}

type serverInfo struct {
	Version                 string       `json:"version" doc:"Version of BTCPay Server whose dialect this is; not Durapay's own"`
	Onion                   *string      `json:"onion" nullable:"true" doc:"Base URL of the onion mirror; null for none"`
	FullySynched            bool         `json:"fullySynched" doc:"Whether the wallets of the key's mode follow the chain"`
	SupportedPaymentMethods []string     `json:"supportedPaymentMethods" doc:"Payment methods"`
	SyncStatus              []syncStatus `json:"syncStatus" doc:"How far each payment method has come"`
}

type syncStatus struct {
	PaymentMethodID string `json:"paymentMethodId" doc:"Payment method"`
	Available       bool   `json:"available" doc:"Whether it follows the chain"`
	ChainHeight     int64  `json:"chainHeight" doc:"Number of blocks that were scanned"`
}

// Register adds the routes.
func (h *Server) Register(api dialect.API) {
	h.registerKey(api)
	h.registerHealth(api)
	dialect.WithKey(api, dialect.Route{
		ID: "ServerInfo_GetServerInfo", Method: http.MethodGet, Path: "/api/v1/server/info", Tag: dialect.TagServer,
		Summary: "Get what plugins ask about the server", Text: "Any key will do.",
		Response: h.view(postgres.ChainState{Synchronized: true, Height: 3_500_000}),
	}, h.info)
}

func (h *Server) info(ctx context.Context, caller access.Key, _ *httpapi.None) (*httpapi.Out[serverInfo], error) {
	chain, err := h.Store.ChainState(ctx, caller.Mode, h.Clock())
	return httpapi.With(h.view(chain), err)
}

func (h *Server) view(chain postgres.ChainState) serverInfo {
	v := serverInfo{
		Version: version, FullySynched: chain.Synchronized, SupportedPaymentMethods: []string{invoice.MethodXMR},
		SyncStatus: []syncStatus{{invoice.MethodXMR, chain.Synchronized, chain.Height}},
	}
	if h.OnionURL != "" {
		v.Onion = &h.OnionURL
	}
	return v
}

type healthState struct {
	Synchronized bool `json:"synchronized" doc:"Whether the wallets of production follow the chain"`
}

func (h *Server) registerHealth(api dialect.API) {
	dialect.Public(api, dialect.Route{
		ID: "Health_GetHealth", Method: http.MethodGet, Path: "/api/v1/health", Tag: dialect.TagServer, Limit: access.Public,
		Summary: "Get the health of the service", Text: "No key is needed.", Response: healthState{true},
	}, h.health)
}

func (h *Server) health(ctx context.Context, _ *httpapi.None) (*httpapi.Out[healthState], error) {
	chain, err := h.Store.ChainState(ctx, config.Live, h.Clock())
	return httpapi.With(healthState{chain.Synchronized}, err)
}

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
