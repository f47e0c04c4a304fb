package merchant

import (
	"maps"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/apidocs"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/web"
)

// NewHandler is the whole service: the API, its documents, the probes and the
// hosted pages. It fails when a dependency cannot be used.
func NewHandler(d Deps) (http.Handler, error) {
	a, err := newApp(d)
	if err != nil {
		return nil, err
	}
	hosted := pages.New(pages.Deps{
		Charges: a, Requests: a, Emails: a, Resets: a, Admit: a.admitCreation, PublicURL: a.PublicURL, Now: a.Clock, Log: a.Log,
	})
	a.tooMany = hosted.TooMany
	router := chi.NewRouter()
	observer := web.Observer{Log: a.Log, Observed: a.Observed, Failed: func(w http.ResponseWriter) {
		writeProblem(w, unavailable("internal error", retrySoon))
	}}
	router.Use(observer.Observe, web.Headers(a.OnionURL), unversioned, middleware.GetHead, hosted.AnswerForms)
	router.NotFound(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, &problem{Text: "there is nothing at this path", status: http.StatusNotFound})
	})
	router.MethodNotAllowed(methodNotAllowed)
	if err := web.ServeDocuments(router, register(router, a)); err != nil {
		return nil, err
	}
	hosted.Register(router.With(a.limitPages))
	apidocs.Register(router, documentTitle)
	web.NoIcon(router)
	return router, nil
}

// API describes the operations without a running service: its document is
// complete, its handlers must not be called.
func API(d Deps) huma.API { return register(chi.NewRouter(), &app{Deps: d}) }

// register adds all operations.
func register(router chi.Router, a *app) huma.API {
	api := humachi.New(router, newConfig(a.PublicURL))
	for _, resource := range []func(huma.API, *app){
		registerSignup, registerLogin, registerStepUp, registerReset, registerVerification, registerTwoFactor,
		registerAccount, registerAutoSwap, registerCredentials, registerProfile, registerDeletion,
		registerCharges, registerChargePublic, registerButton, registerBuyerInfo,
		registerRequests, registerRequestPublic,
		registerWebhooks, registerDeliveries,
		registerPayouts, registerReporting, registerReports, registerPrice, registerQuotes, registerSwaps,
		registerAdminMerchants, registerAdminWork, registerSystem,
	} {
		resource(api, a)
	}
	finishDocument(api)
	return api
}

// methodNotAllowed answers a method that a known path does not have.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	web.SetAllow(w, r)
	writeProblem(w, &problem{Text: "this path does not have this method", status: http.StatusMethodNotAllowed})
}

// writeProblem answers an error outside of Huma.
func writeProblem(w http.ResponseWriter, p *problem) {
	maps.Copy(w.Header(), p.GetHeaders())
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(p.status)
	_ = writeJSON(w, p) // the client is gone if this fails
}
