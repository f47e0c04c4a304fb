package swap

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/aggregator"
	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
)

// NewHandler returns the whole service: both surfaces, the documents and the probes.
func NewHandler(d Deps) (http.Handler, error) {
	a := &app{exchangeapi.New(d)}
	router := chi.NewRouter()
	observer := web.Observer{Log: a.Log, Observed: a.Observed, Failed: func(w http.ResponseWriter) { writeProblem(w, internalError()) }}
	router.Use(observer.Observe, web.Headers(a.PublicURL, a.OnionURL), versioned, middleware.GetHead)
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path+"/", "/api/v1/") {
			aggregator.NotFound(w, r)
			return
		}
		writeProblem(w, &problem{Code: codeNotFound, Message: "there is nothing at this path", status: http.StatusNotFound})
	})
	router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if aggregator.Serves(r) {
			aggregator.WrongMethod(w, r)
			return
		}
		web.SetAllow(w, r)
		writeProblem(w, &problem{Code: codeMethod, Message: "this path does not have this method", status: http.StatusMethodNotAllowed})
	})
	documents := router.With(a.countRead)
	web.ServeDocuments(documents, register(router, a))
	aggregator.Register(router, a.Front)
	registerImages(router, a)
	registerAffiliate(router, documents, a)
	pages.RegisterReference(documents, documentTitle)
	web.NoIcon(router)
	return router, nil
}

// API describes the operations without a running service. Its document is complete, but its
// handlers must not be called.
func API(d Deps) huma.API { return register(chi.NewRouter(), &app{&exchangeapi.Front{Deps: d}}) }

func register(router chi.Router, a *app) huma.API {
	api := humachi.New(router, newConfig(a.PublicURL))
	for _, resource := range []func(huma.API, *app){
		registerRate, registerCreate, registerLookup, registerListings, registerCommission, registerSystem,
	} {
		resource(api, a)
	}
	finishDocument(api)
	return api
}

// versionName is the header X-SWAP-API-Version as servers write it.
const versionName = "X-Swap-Api-Version"

// versioned sets the header that every answer carries.
func versioned(next http.Handler) http.Handler {
	one := []string{"1"} // shared by all answers: it has no capacity, so an append copies it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()[versionName] = one
		next.ServeHTTP(w, r)
	})
}

// registerImages serves the pictures of the coins.
func registerImages(router chi.Router, a *app) {
	if a.Quoter == nil {
		return
	}
	seen := map[string]bool{}
	for _, c := range a.Quoter.Coins() {
		if seen[c.Image] {
			continue
		}
		seen[c.Image] = true
		router.Get(c.Image, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/svg+xml")
			w.Header().Set("Cache-Control", "public, max-age=86400")
			_, _ = w.Write(c.Picture()) // the client has disconnected if this fails
		})
	}
}

// Deps holds the dependencies of the API.
type Deps = exchangeapi.Deps

// app serves the API.
type app struct{ *exchangeapi.Front }

// callerOf returns the sender of the request.
func callerOf(ctx context.Context) exchangeapi.Caller {
	c, _ := ctx.Value(callerKey).(exchangeapi.Caller)
	return c
}

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
