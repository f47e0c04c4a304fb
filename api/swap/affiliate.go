package swap

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/exchangeapi"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

//go:embed affiliate.html
var affiliateFiles embed.FS

// affiliatePolicy forbids the page to load anything and allows its form to be sent only to
// this service.
const affiliatePolicy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// registerAffiliate adds the page on which any visitor can get an affiliate key. The page asks
// for no data and needs no script. It shows a key only once.
func registerAffiliate(router, documents chi.Router, a *app) {
	page := template.Must(template.ParseFS(affiliateFiles, "affiliate.html"))
	show := func(w http.ResponseWriter, r *http.Request, key string) {
		var body bytes.Buffer
		if err := page.Execute(&body, map[string]any{"Key": key, "Cap": exchangeapi.Affiliate.MarkupCap()}); err != nil {
			a.Log.ErrorContext(r.Context(), "page", "error", err)
			writeProblem(w, internalError())
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", affiliatePolicy)
		_, _ = w.Write(body.Bytes()) // the client has disconnected if this fails
	}
	documents.Get("/affiliate", func(w http.ResponseWriter, r *http.Request) { show(w, r, "") })
	router.Post("/affiliate", func(w http.ResponseWriter, r *http.Request) {
		if err := a.AdmitNewKey(w, r); err != nil {
			writeProblem(w, admission(err))
			return
		}
		key := secret.NewSwapKey(secret.AffiliateKeyPrefix)
		err := a.Store.InsertSwapKey(r.Context(), db.InsertSwapKeyParams{
			ID: secret.NewID("sk_"), Class: string(exchangeapi.Affiliate), KeyHash: secret.HashAPIKey(key),
			Prefix: secret.AffiliateKeyPrefix, CreatedAt: a.Now(),
		})
		if err != nil {
			writeProblem(w, a.problemOf(r.Context(), err))
			return
		}
		show(w, r, key)
	})
}
