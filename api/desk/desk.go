package desk

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/pages/kit"
	"github.com/durapay/durapay/api/pages/sheet"
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
	// SignUp determines who may open an account.
	SignUp config.SignUp
	// Simulated is set if buttons, not coins, pay the sandbox's charges.
	Simulated bool
	// Count counts each request for a page; nil if requests are not counted.
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
	paths  paths
}

// Register adds the pages to a router.
func Register(router chi.Router, deps Deps) {
	d := &Desk{Deps: deps, origin: http.NewCrossOriginProtection()}
	d.kit = sheet.New("/desk/", func(t kit.Templates) *kit.Kit { return kit.New(t, Catalogues(), deps.Log).Keeping(parameters()...) })
	d.kit.Register(router)
	if deps.Count != nil {
		router = router.With(deps.Count)
	}
	all := routes()
	d.paths = newPaths(all)
	for _, rt := range all {
		router.Method(rt.method, rt.pattern, d.guard(rt))
	}
	d.registerStrays(router, all)
	router.NotFound(d.notFound(deps.NotFound))
}
