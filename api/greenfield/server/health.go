package server

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/greenfield/dialect"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/internal/config"
)

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
