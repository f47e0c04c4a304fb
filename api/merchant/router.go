package merchant

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	"github.com/durapay/durapay/api/access"
	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/greenfield"
	"github.com/durapay/durapay/api/httpapi"
	"github.com/durapay/durapay/api/merchant/webhooks"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/api/operation"
	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/swapquote"
)

// NewHandler returns the handler of the whole service: the API, its documents, the probes, the
// hosted pages and the desks. It fails if a dependency cannot be used.
func NewHandler(d Deps) (http.Handler, error) {
	if d.Quotes == nil {
		d.Quotes = swapquote.New(nil, 0, d.Clock)
	}
	p, err := newParts(d)
	if err != nil {
		return nil, err
	}
	all := newResources(d, p)
	var signUp, forgotten string
	if d.Desk {
		forgotten = "/forgot-password"
		if d.SignUp != config.SignUpClosed {
			signUp = "/sign-up"
		}
	}
	hosted := pages.New(pages.Deps{
		SignUpPage: signUp, ForgottenPage: forgotten,
		Charges: all.charges, Requests: all.requests, Resets: all.access, Connections: all.keys, Refunds: all.refunds,
		Emails:     pages.MailLink{Look: all.access.EmailLink, Act: all.access.ConfirmEmail},
		Notices:    pages.MailLink{Look: all.settings.NoticesLink, Act: all.settings.TurnNoticesOff},
		ConnectKey: secret.Derived(d.JWTSecret, "connect"), Admit: p.limits.AdmitCreation,
		Count: func(tooMany http.HandlerFunc) func(http.Handler) http.Handler {
			return p.limits.Count(access.Public, tooMany)
		},
		CountGuess: p.limits.CountGuess,
		PublicURL:  d.PublicURL, Now: d.Clock, Log: d.Log,
	})
	router := chi.NewRouter()
	observer := web.Observer{Log: d.Log, Observed: d.Observed, Failed: func(w http.ResponseWriter) {
		httpapi.Unavailable("internal error", httpapi.RetrySoon).Write(w)
	}}
	router.Use(observer.Observe, web.Headers(d.PublicURL, d.OnionURL), unversioned, slashless, middleware.GetHead, hosted.AnswerForms)
	// Requests that reach no operation are counted here: documents and unknown paths, and below the
	// pages of the desks. Static files are not counted.
	documents, countPage := router.With(p.limits.Count(access.Other, nil)), p.limits.Count(access.Other, tooManyPages(hosted))
	documents.NotFound(notFound)
	router.MethodNotAllowed(methodNotAllowed)
	api := register(router, d.PublicURL, p, all)
	web.ServeDocuments(documents, api, eventSchemas()...)
	greenfield.Register(router, greenfield.Deps{
		Store: d.Store, Box: d.Box, Guard: p.guard, Limits: p.limits, Errors: p.errors, Start: p.start, Refunds: p.refunds, Notices: p.notices,
		Clock: d.Clock, ChargeTimeout: d.ChargeTimeout, PublicURL: d.PublicURL, OnionURL: d.OnionURL,
	})
	hosted.Register(router)
	router.Mount(opdesk.Root, opdesk.New(opdesk.Deps{
		API: router, Store: d.Store, Tokens: p.tokens, Key: secret.Derived(d.JWTSecret, "operator desk"),
		TemporalUI: d.TemporalUI, Namespace: d.TemporalNamespace, Count: countPage, NotFound: notFound, Clock: d.Clock, Log: d.Log,
	}))
	if d.Desk {
		desk.Register(router, desk.Deps{
			API: router, Store: d.Store, Tokens: p.tokens, Key: secret.Derived(d.JWTSecret, "desk"), PublicURL: d.PublicURL, SignUp: d.SignUp,
			Service:   desk.Service{Operator: d.OperatorName, Contact: d.OperatorContact, FeeRate: d.FeeRate},
			Simulated: d.SimulatedSandbox, Count: countPage, NotFound: notFound, Clock: d.Clock, Log: d.Log,
		})
	}
	pages.RegisterReference(documents, api.OpenAPI(), d.Log,
		kit.Link{Href: "/docs/merchant", Text: "Guides"}, kit.Link{Href: "/docs/merchant/clients", Text: "Clients"})
	hosted.RegisterGuides(documents, api.OpenAPI())
	web.NoIcon(router)
	return router, nil
}

// API describes the operations without a running service. Its document is complete, but its
// handlers must not be called.
func API(d Deps) huma.API {
	p := parts{guard: access.NewGuard(access.GuardSettings{}), limits: &access.Limits{}}
	return register(chi.NewRouter(), d.PublicURL, p, newResources(d, p))
}

// register adds all operations.
func register(router chi.Router, publicURL string, p parts, all resources) huma.API {
	texts := operation.Read(operations)
	api := humachi.New(router, texts.Config(publicURL, operation.NewRegistry(schemaName)))
	all.register(operation.API{API: api, Surface: texts, Guard: p.guard, Limits: p.limits, Errors: p.errors})
	doc := api.OpenAPI()
	texts.DocumentItself(doc, huma.TypeObject)
	doc.Webhooks = webhooks.Documents(doc.Components.Schemas, texts)
	operation.FinishSchemas(doc.Components.Schemas, reflect.TypeFor[httpapi.Problem]())
	operation.FinishNullable(doc.Components.Schemas)
	return api
}

// tooManyPages answers a client that requests too many pages. A program that requests an unknown
// path gets the API's answer.
func tooManyPages(hosted *pages.Site) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if chi.RouteContext(r.Context()).RoutePattern() == "" && !strings.Contains(r.Header.Get("Accept"), "text/html") {
			access.TooMany().Write(w)
			return
		}
		hosted.TooMany(w, r)
	}
}

// notFound answers a request for an unknown path.
func notFound(w http.ResponseWriter, r *http.Request) {
	if greenfield.Owns(r.URL.Path) {
		greenfield.NotFound(w)
		return
	}
	(&httpapi.Problem{Text: "there is nothing at this path", Status: http.StatusNotFound}).Write(w)
}

// methodNotAllowed answers a request whose path exists but does not have its method.
func methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	web.SetAllow(w, r)
	if greenfield.Owns(r.URL.Path) {
		greenfield.MethodNotAllowed(w)
		return
	}
	(&httpapi.Problem{Text: "this path does not have this method", Status: http.StatusMethodNotAllowed}).Write(w)
}

// AdminRoutes returns the prefixes of the paths of the operators' API and desk, for the listener
// that serves them.
func AdminRoutes() []string { return []string{"/api/admin/", "/api/v1/admin/", opdesk.Root + "/"} }

// unversioned serves /api/v1/… as an alias of /api/…, except for paths of the Greenfield
// surface.
func unversioned(next http.Handler) http.Handler {
	const alias, prefix = "/api/v1/", "/api/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if rest, ok := strings.CutPrefix(r.URL.Path, alias); ok && !greenfield.Owns(r.URL.Path) {
			copied := *r
			copied.URL = new(url.URL)
			*copied.URL = *r.URL
			copied.URL.Path = prefix + rest
			if raw, ok := strings.CutPrefix(r.URL.RawPath, alias); ok {
				copied.URL.RawPath = prefix + raw
			} else {
				copied.URL.RawPath = ""
			}
			r = &copied
		}
		next.ServeHTTP(w, r)
	})
}

// slashless makes the Greenfield surface accept paths with a trailing slash too, as BTCPay
// Server does, because some of its clients send one.
func slashless(next http.Handler) http.Handler {
	stripped := middleware.StripSlashes(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if greenfield.Owns(r.URL.Path) {
			stripped.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}
