package swap

import (
	"bytes"
	"context"
	"embed"
	"html/template"
	"net/http"

	"github.com/go-chi/chi/v5"

	"github.com/durapay/durapay/api/httpapi"
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
		if err := page.Execute(&body, map[string]any{"Key": key, "Cap": Affiliate.MarkupCap()}); err != nil {
			a.Log.ErrorContext(r.Context(), "page", "error", err)
			a.errors.Write(w, internalError())
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", affiliatePolicy)
		_, _ = w.Write(body.Bytes()) // the client has disconnected if this fails
	}
	documents.Get("/affiliate", func(w http.ResponseWriter, r *http.Request) { show(w, r, "") })
	router.Post("/affiliate", func(w http.ResponseWriter, r *http.Request) {
		if err := a.AdmitNewKey(w, r); err != nil {
			a.errors.Write(w, admission(err))
			return
		}
		key := secret.NewSwapKey(secret.AffiliateKeyPrefix)
		err := a.Store.InsertSwapKey(r.Context(), db.InsertSwapKeyParams{
			ID: secret.NewID("sk_"), Class: string(Affiliate), KeyHash: secret.HashAPIKey(key),
			Prefix: secret.AffiliateKeyPrefix, CreatedAt: a.Now(),
		})
		if err != nil {
			a.errors.Write(w, a.errors.Of(r.Context(), err))
			return
		}
		show(w, r, key)
	})
}

type commissionEntry struct {
	Ticker  string `json:"ticker"`
	Network string `json:"network"`
	Amount  string `json:"amount"  doc:"Credited so far, in the coin that was paid out"`
	Trades  int64  `json:"trades"  doc:"Completed trades with a markup"`
}

type commissionBalance struct {
	Balances []commissionEntry `json:"balances" nullable:"false"`
}

func (a *app) commission(ctx context.Context, _ *query) (*httpapi.Out[commissionBalance], error) {
	c := callerOf(ctx)
	if c.KeyID == "" {
		return nil, refused(http.StatusUnauthorized, codeUnauthorized, "a key is required")
	}
	rows, err := a.Store.CommissionBalance(ctx, c.KeyID)
	if err != nil {
		return nil, err
	}
	list := commissionBalance{[]commissionEntry{}}
	for _, r := range rows {
		list.Balances = append(list.Balances, commissionEntry{r.Ticker, r.Network, r.Amount.String(), r.Trades})
	}
	return httpapi.With(list, nil)
}
