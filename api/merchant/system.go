package merchant

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
)

type alive struct {
	Status string `json:"status" example:"ok"`
}

type readiness struct {
	Status string            `json:"status" enum:"ready,unavailable"`
	Parts  map[string]string `json:"parts" doc:"State of each part: ok or failing"`
}

// registerSystem adds the probes.
func (h *probesRoom) registerSystem(api operations) {
	public(api, route{
		id: "livez", method: http.MethodGet, path: "/livez", tag: tagSystem, limit: limitNone,
		summary: "Whether the process is up", text: "Asks nothing else.",
		errors: []int{http.StatusMethodNotAllowed}, response: alive{"ok"},
	}, func(context.Context, *none) (*out[alive], error) { return answer(alive{"ok"}, nil) })
	public(api, route{
		id: "readyz", method: http.MethodGet, path: "/readyz", tag: tagSystem, limit: limitNone,
		summary:  "Whether the service can work",
		text:     "Postgres, Temporal, the wallet and the price. 503 names the part that fails.",
		errors:   []int{http.StatusMethodNotAllowed, http.StatusServiceUnavailable},
		response: readiness{"ready", map[string]string{"postgres": "ok", "temporal": "ok", "wallet": "ok", "price": "ok"}},
	}, h.readyz)
	describe[readiness](api, api.OpenAPI().Paths["/readyz"].Get, jsonType)
}

// probe is an answer that another handler writes.
type probe struct{ Body func(huma.Context) }

func (h *probesRoom) readyz(context.Context, *none) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		h.Ready.ServeHTTP(w, r)
	}}, nil
}
