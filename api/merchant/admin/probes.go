package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
)

// Probes answers the probes.
type Probes struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register registers the probes.
func (h *Probes) Register(api operation.API) {
	operation.Public(api, operation.Route{ID: "livez", At: "GET /livez", Limit: access.None}, func(context.Context, *httpapi.None) (*httpapi.Out[alive], error) {
		return httpapi.With(alive{"ok"}, nil)
	})
	operation.Public(api, operation.Route{ID: "readyz", At: "GET /readyz", Limit: access.None}, h.readyz)
	operation.Describe[readiness](api, "GET /readyz", http.StatusOK, httpapi.JSON)
}

type alive struct {
	Status string `json:"status" example:"ok"`
}

type readiness struct {
	Status string            `json:"status" enum:"ready,unavailable"`
	Parts  map[string]string `json:"parts" doc:"State of each part: ok or failing"`
}

// probe is an answer that another handler writes.
type probe struct{ Body func(huma.Context) }

func (h *Probes) readyz(context.Context, *httpapi.None) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		h.Ready.ServeHTTP(w, r)
	}}, nil
}
