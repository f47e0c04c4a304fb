package desk

import (
	"cmp"
	"embed"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages"
	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/internal/account"
	"github.com/durapay/durapay/internal/config"
	"github.com/durapay/durapay/internal/postgres"
)

// Deps holds the desk's dependencies.
type Deps struct {
	// API answers requests of the merchants' API.
	API http.Handler
	// Store knows which sessions have ended.
	Store *postgres.Store
	// Tokens reads the tokens that sessions contain.
	Tokens *account.Tokens
	// Key seals sessions and signs forms: 32 bytes.
	Key []byte
	// PublicURL is the base URL of the service, without a trailing slash.
	PublicURL string
	// Service is what the desk says about who runs the service.
	Service Service
	// SignUp determines who may open an account.
	SignUp config.SignUp
	// Simulated is set if buttons, not coins, pay the sandbox's charges.
	Simulated bool
	// Count counts each request for a page.
	Count func(http.Handler) http.Handler
	// NotFound answers clients other than browsers when a path does not exist.
	NotFound http.HandlerFunc
	Clock    func() time.Time
	Log      *slog.Logger
}

// Desk serves the pages.
type Desk struct {
	Deps

	kit    *kit.Kit
	origin *http.CrossOriginProtection
	router chi.Router
	// routes are the pages and forms, by method and pattern.
	routes map[string]route
}

// Register adds the pages to a router.
func Register(router chi.Router, deps Deps) {
	d := &Desk{Deps: deps, origin: http.NewCrossOriginProtection()}
	d.kit = kit.NewSheets("/desk/", Catalogues(), deps.Log).Keeping(parameters()...)
	d.kit.Register(router, "")
	router = router.With(deps.Count)
	all := routes()
	d.router, d.routes = router, map[string]route{}
	for _, rt := range all {
		router.Method(rt.method, rt.pattern, d.guard(rt))
		d.routes[rt.method+" "+rt.pattern] = rt
	}
	for _, rt := range all {
		if _, page := d.routes[http.MethodGet+" "+rt.pattern]; !page {
			router.Get(rt.pattern, d.stray)
		}
	}
	router.NotFound(d.notFound(deps.NotFound))
}

//go:embed texts
var textFiles embed.FS

// Catalogues lists the languages of the desk, which are those of the pages for
// customers, with the texts that both have; the first is the fallback.
func Catalogues() []kit.Catalogue { return kit.WithTexts(textFiles, pages.Catalogues()) }

// stray handles the address of a form that is opened as a page. After a form was refused, a
// browser shows its address, and the person may reload it or choose another language. The request
// is redirected to the nearest page above it, or to another such address.
func (d *Desk) stray(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	for ok := false; path != "" && !ok; {
		path = path[:max(strings.LastIndexByte(path, '/'), 0)]
		ok = d.pattern(http.MethodGet, path) != ""
	}
	_ = d.visit(w, r).redirect(cmp.Or(path, "/"))
}

// notFound shows a page to a browser that asks for a path that does not exist. Other clients
// get the answer of next.
func (d *Desk) notFound(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		if !read || !strings.Contains(r.Header.Get("Accept"), "text/html") || isOfAPI(r.URL.Path) {
			next(w, r)
			return
		}
		v := d.visit(w, r)
		_ = v.readSession() // only the bar of the page depends on it
		v.status = http.StatusNotFound
		_ = v.show(&kit.Page{Narrow: true, Text: v.t("not_found.text"), Parts: []kit.Part{{Links: []kit.Link{{Href: "/", Text: v.t("nav.home")}}}}}, v.t("not_found.title"))
	}
}

// isOfAPI reports whether a path belongs to the API, whose clients are programs.
func isOfAPI(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/v1/")
}
