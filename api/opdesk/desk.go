package opdesk

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/postgres"
)

// Root is the path under which the desk is served.
const Root = "/operator"

// Deps holds the desk's dependencies.
type Deps struct {
	// API answers requests of the merchants' API.
	API http.Handler
	// Store knows which sessions have ended.
	Store *postgres.Store
	// Tokens issues the tokens of requests to the API.
	Tokens *account.Tokens
	// Key signs sessions and forms: 32 bytes.
	Key []byte
	// TemporalUI is the address at which browsers open the Temporal UI, without a trailing
	// slash; empty for pages without links to it. Namespace is the Temporal namespace.
	TemporalUI, Namespace string
	// Count counts each request for a page.
	Count func(http.Handler) http.Handler
	// NotFound answers paths that do not exist, and every path on a listener that is not
	// internal.
	NotFound http.HandlerFunc
	Clock    func() time.Time
	Log      *slog.Logger
}

// Desk serves the pages.
type Desk struct {
	Deps

	router *chi.Mux
	kit    *kit.Kit
	origin *http.CrossOriginProtection
}

// New returns a desk that is ready to serve.
func New(deps Deps) *Desk {
	d := &Desk{Deps: deps, router: chi.NewRouter(), kit: newKit(deps.Log), origin: http.NewCrossOriginProtection()}
	d.router.NotFound(d.NotFound)
	pages := d.router.With(deps.Count)
	for _, r := range routes() {
		pages.Method(r.method, r.pattern, d.guard(r))
		if r.method == http.MethodGet {
			pages.Head(r.pattern, d.guard(r))
		}
	}
	d.kit.Register(d.router, Root)
	return d
}

// ServeHTTP serves the desk on the internal listener. On other listeners it answers NotFound.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !web.IsInternal(r.Context()) {
		d.NotFound(w, r)
		return
	}
	d.router.ServeHTTP(w, r)
}
