package swap

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
	Parts  map[string]string `json:"parts"  doc:"State of each part: ok or failing"`
	Error  string            `json:"error,omitempty" doc:"Names what fails; only there when something does"`
}

// probe is an answer that another handler writes.
type probe struct{ Body func(huma.Context) }

func registerSystem(api huma.API, a *app) {
	add(api, a, route{
		id: "livez", path: "/livez", tag: tagSystem, probe: true, summary: "Whether the process is up", text: "Asks nothing else.",
		errors: []int{http.StatusMethodNotAllowed}, response: alive{"ok"},
	}, func(context.Context, *query) (*out[alive], error) { return &out[alive]{alive{"ok"}}, nil })
	add(api, a, route{
		id: "readyz", path: "/readyz", tag: tagSystem, probe: true, summary: "Whether the service can work",
		text:     "Postgres, Temporal, the wallets and the prices. 503 names the part that fails.",
		errors:   []int{http.StatusMethodNotAllowed, http.StatusServiceUnavailable},
		response: readiness{Status: "ready", Parts: partsOf("ok")},
	}, a.readyz)
	documentReadiness(api, api.OpenAPI().Paths["/readyz"].Get)
}

// partsOf returns the parts of a readiness answer with the state of the wallets.
func partsOf(wallet string) map[string]string {
	return map[string]string{"postgres": "ok", "temporal": "ok", "wallet": wallet, "price": "ok"}
}

// documentReadiness describes the only refusal that does not have the error format.
func documentReadiness(api huma.API, op *huma.Operation) {
	describe[readiness](api, op, "200")
	describe[readiness](api, op, "503")
	op.Responses["503"].Description = "A part that requests need is not usable"
	op.Responses["503"].Content[jsonType].Example = readiness{"unavailable", partsOf("failing"), "not ready: wallet"}
	delete(op.Responses["503"].Headers, "Retry-After")
}

func (a *app) readyz(context.Context, *query) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		a.Ready.ServeHTTP(w, r)
	}}, nil
}
