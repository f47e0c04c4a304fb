package greenfield

import (
	"context"
	"time"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/invoice"
	"github.com/durapay/durapay/internal/notice"
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

func (h *Server) health(ctx context.Context, _ *httpapi.None) (*httpapi.Out[healthState], error) {
	chain, err := h.Store.ChainState(ctx, config.Live, h.Clock())
	return httpapi.With(healthState{chain.Synchronized}, err)
}

type apiKey struct {
	APIKey      string   `json:"apiKey" doc:"The key that the request was sent with"`
	Label       string   `json:"label" doc:"The application that it was made for"`
	Permissions []string `json:"permissions" doc:"What it was granted, each with its store"`
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
