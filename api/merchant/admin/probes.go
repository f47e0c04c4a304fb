package admin

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/operation"
)

// Probes answers the probes.
type Probes struct {
	// Ready answers /readyz: whether every part that the service needs is usable.
	Ready http.Handler
}

// Register registers the probes.
func (h *Probes) Register(api operation.API) {
	h.registerSystem(api)
}

type alive struct {
	Status string `json:"status" example:"ok"`
}

type readiness struct {
	Status string            `json:"status" enum:"ready,unavailable"`
	Parts  map[string]string `json:"parts" doc:"State of each part: ok or failing"`
}

func (h *Probes) registerSystem(api operation.API) {
	operation.Public(api, operation.Route{
		ID: "livez", Method: http.MethodGet, Path: "/livez", Tag: operation.TagSystem, Limit: access.None,
		Summary: "Whether the process is up", Text: "Asks nothing else.",
		Errors: []int{http.StatusMethodNotAllowed}, Response: alive{"ok"},
	}, func(context.Context, *httpapi.None) (*httpapi.Out[alive], error) {
		return httpapi.With(alive{"ok"}, nil)
	})
	operation.Public(api, operation.Route{
		ID: "readyz", Method: http.MethodGet, Path: "/readyz", Tag: operation.TagSystem, Limit: access.None,
		Summary: "Whether the service can work",
		Text: "Postgres, Temporal, the wallet and the price. 503 names the part that fails. `proxy` and `fork` are named too, and stay " +
			"200: what needs no proxy is served, and a fork of the network that the daemon does not know has yet to come.",
		Errors:   []int{http.StatusMethodNotAllowed, http.StatusServiceUnavailable},
		Response: readiness{"ready", map[string]string{"postgres": "ok", "temporal": "ok", "wallet": "ok", "price": "ok"}},
	}, h.readyz)
	operation.Describe[readiness](api, api.OpenAPI().Paths["/readyz"].Get, httpapi.JSON)
}

// probe is an answer that another handler writes.
type probe struct{ Body func(huma.Context) }

func (h *Probes) readyz(context.Context, *httpapi.None) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		h.Ready.ServeHTTP(w, r)
	}}, nil
}
