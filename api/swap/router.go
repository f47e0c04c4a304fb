package swap

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
)

// NewHandler returns the whole service: both surfaces, the documents and the probes.
func NewHandler(d Deps) (http.Handler, error) {
	a := newApp(New(d))
	dialect := &aggregators{a.Front, httpapi.Errors{Log: d.Log, Strict: true}}
	router := chi.NewRouter()
	observer := web.Observer{Log: a.Log, Observed: a.Observed, Failed: func(w http.ResponseWriter) { a.errors.Write(w, internalError()) }}
	router.Use(observer.Observe, web.Headers(a.PublicURL, a.OnionURL), versioned, middleware.GetHead)
	router.NotFound(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path+"/", "/api/v1/") {
			dialect.notFound(w)
			return
		}
		a.errors.Write(w, &httpapi.Problem{Code: codeNotFound, Text: "there is nothing at this path", Status: http.StatusNotFound})
	})
	router.MethodNotAllowed(func(w http.ResponseWriter, r *http.Request) {
		if isAggregators(r) {
			dialect.wrongMethod(w)
			return
		}
		web.SetAllow(w, r)
		a.errors.Write(w, &httpapi.Problem{Code: codeMethod, Text: "this path does not have this method", Status: http.StatusMethodNotAllowed})
	})
	documents := router.With(a.countRead)
	api := register(router, a)
	web.ServeDocuments(documents, api, eventSchema)
	dialect.register(router)
	registerImages(router, a)
	registerAffiliate(router, documents, a)
	pages.RegisterReference(documents, api.OpenAPI(), a.Log)
	web.NoIcon(router)
	return router, nil
}

// API describes the operations without a running service. Its document is complete, but its
// handlers must not be called.
func API(d Deps) huma.API { return register(chi.NewRouter(), newApp(&Front{Deps: d})) }

// Routes that the document describes further.
const (
	atNewTrade = "GET /api/v1/new_trade"
	atLimits   = "GET /api/v1/limits"
	atReady    = "GET /readyz"
)

func register(router chi.Router, a *app) huma.API {
	texts := operation.Read(operations)
	api := operation.API{
		API: humachi.New(router, texts.Config(a.PublicURL, operation.NewRegistry(schemaName))), Surface: texts, Errors: a.errors,
	}
	route := func(id, at string, credentials ...string) operation.Route {
		return operation.Route{
			ID: id, At: at, Limit: access.None, Credentials: credentials,
			Refusals: []int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusTooManyRequests},
		}
	}
	key, none := texts.Key, operation.NoCredential
	add(api, a, Read, route("newRate", "GET /api/v1/new_rate", key, none), a.newRate)
	create := route("newTrade", atNewTrade, key, none)
	create.Status = http.StatusCreated
	add(api, a, Write, create, a.newTrade)
	add(api, a, Read, route("trade", "GET /api/v1/trade", key, none), a.lookup)
	add(api, a, Read, route("coins", "GET /api/v1/coin", key, none), a.coins)
	add(api, a, Read, route("pairs", "GET /api/v1/pairs", key, none), a.pairs)
	add(api, a, Read, route("limits", atLimits, key, none), a.limits)
	add(api, a, Read, route("exchanges", "GET /api/v1/exchanges", key, none), a.exchanges)
	add(api, a, Read, route("commission", "GET /api/v1/commission", key), a.commission)
	operation.Add(api, operation.Route{ID: "livez", At: "GET /livez", Limit: access.None}, func(context.Context, *query) (*httpapi.Out[alive], error) {
		return httpapi.With(alive{"ok"}, nil)
	})
	operation.Add(api, operation.Route{ID: "readyz", At: atReady, Limit: access.None}, a.readyz)
	finishDocument(api)
	return api
}

// add registers an operation for callers with and without a key, whose requests of a kind are
// counted.
func add[I, O any](api operation.API, a *app, kind Kind, r operation.Route, h func(context.Context, *I) (*O, error)) {
	r.Guard = "caller, " + kind.String()
	operation.Add(api, r, h, a.identify(kind))
}

// versionName is the header X-SWAP-API-Version as servers write it.
const versionName = "X-Swap-Api-Version"

// versioned sets the header that every answer carries.
func versioned(next http.Handler) http.Handler {
	version := []string{"1"} // shared by all answers: it has no capacity, so an append copies it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()[versionName] = version
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

// app serves the API.
type app struct {
	*Front

	errors httpapi.Errors
}

func newApp(f *Front) *app {
	return &app{f, httpapi.Errors{Log: f.Log, Body: form, Strict: true}}
}

// callerOf returns the sender of the request.
func callerOf(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey).(Caller)
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

func (a *app) readyz(context.Context, *query) (*probe, error) {
	return &probe{func(ctx huma.Context) {
		r, w := humachi.Unwrap(ctx)
		a.Ready.ServeHTTP(w, r)
	}}, nil
}
