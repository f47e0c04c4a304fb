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
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/notice"
	"github.com/durapay/durapay/internal/postgres"
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
