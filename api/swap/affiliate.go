package swap

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/web"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

//go:embed affiliate.html
var affiliateFiles embed.FS

// affiliatePolicy lets the page load nothing and send its form here only.
const affiliatePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// registerAffiliate adds the page on which anybody gets an affiliate's key. It
// asks nothing of its visitors and needs no script; a key is shown once.
func registerAffiliate(router chi.Router, a *app) {
	page := template.Must(template.ParseFS(affiliateFiles, "affiliate.html"))
	show := func(w http.ResponseWriter, r *http.Request, key string) {
		var body bytes.Buffer
		if err := page.Execute(&body, map[string]any{"Key": key, "Cap": affiliate.markupCap()}); err != nil {
			a.Log.ErrorContext(r.Context(), "page", "error", err)
			writeProblem(w, internalError())
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", affiliatePolicy)
		_, _ = w.Write(body.Bytes()) // the client is gone if this fails
	}
	router.Get("/affiliate", func(w http.ResponseWriter, r *http.Request) { show(w, r, "") })
	router.Post("/affiliate", func(w http.ResponseWriter, r *http.Request) {
		limiter := a.limiters[limit{writes: true}]
		if limiter != nil && limiter.OnLimit(w, r, caller{ip: web.ClientIP(r, a.TrustedProxies)}.name()) {
			writeProblem(w, &problem{Code: codeRateLimit, Message: "too many requests, try again later", status: http.StatusTooManyRequests})
			return
		}
		key := secret.NewSwapKey(secret.AffiliateKeyPrefix)
		err := a.Store.InsertSwapKey(r.Context(), db.InsertSwapKeyParams{
			ID: secret.NewID("sk_"), Class: string(affiliate), KeyHash: secret.HashAPIKey(key),
			Prefix: secret.AffiliateKeyPrefix, CreatedAt: a.now(),
		})
		if err != nil {
			writeProblem(w, a.problemOf(r.Context(), err))
			return
		}
		show(w, r, key)
	})
}
