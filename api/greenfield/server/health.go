package server

import (
	"context"
	"net/http"

	"github.com/durapay/durapay/api/greenfield/route"
	"github.com/durapay/durapay/api/merchant/answer"
	"github.com/durapay/durapay/api/merchant/limits"
	"github.com/durapay/durapay/api/merchant/request"
	"github.com/durapay/durapay/internal/config"
)

type healthState struct {
	Synchronized bool `json:"synchronized" doc:"Whether the wallets of production follow the chain"`
}

func (h *Handler) registerHealth(api route.API) {
	route.Public(api, route.Route{
		ID: "Health_GetHealth", Method: http.MethodGet, Path: "/api/v1/health", Tag: route.TagServer, Limit: limits.Public,
		Summary: "Get the health of the service", Text: "No key is needed.", Response: healthState{true},
	}, h.health)
}

func (h *Handler) health(ctx context.Context, _ *request.None) (*answer.Out[healthState], error) {
	chain, err := h.Store.ChainState(ctx, config.Live, h.Clock())
	return answer.With(healthState{chain.Synchronized}, err)
}
