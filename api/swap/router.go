package swap

import (
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/aggregator"
	"github.com/durapay/durapay/api/docs"
	"github.com/durapay/durapay/api/exchangeapi"
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
	docs.RegisterReference(documents, documentTitle)
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
