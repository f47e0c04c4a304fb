package pages

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/go-chi/chi/v5"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/permission"
)

// TestABrowserConnectsWithoutScript logs in, agrees and finishes. The application gets the key
// in a form and learns nothing about the page that sent it.
func TestABrowserConnectsWithoutScript(t *testing.T) {
	t.Parallel()
	arrived := make(chan url.Values, 1)
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Referer() == "" && r.ParseForm() == nil {
			arrived <- r.PostForm
		}
	}))
	t.Cleanup(shop.Close)
	router := chi.NewRouter()
	connectSite("http://pay.example", connections{shop: Shop{Name: "Example Shop"}}).Register(router)
	site := httptest.NewServer(router)
	t.Cleanup(site.Close)
	tab, seen := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	a := ask{Permissions: []permission.Permission{permission.CreateInvoice, permission.ViewInvoices}, Application: "Web shop", Redirect: shop.URL + "/connected?x=1"}
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(site.URL+a.link("")),
		chromedp.SendKeys(chromedp.CSS("#email"), "shop@example.com"),
		chromedp.SendKeys(chromedp.CSS("#password"), "right"),
		chromedp.Click(chromedp.CSS("button")),
		chromedp.WaitVisible(chromedp.CSS("button[value=allow]")),
		chromedp.Click(chromedp.CSS("button[value=allow]")),
		chromedp.WaitVisible(chromedp.CSS("form[action^='http'] button")),
		chromedp.Click(chromedp.CSS("form[action^='http'] button")),
	))
	select {
	case form := <-arrived:
		require.Regexp(t, `^dk_live_[0-9a-f]{48}$`, form.Get("apiKey"))
		require.Equal(t, testMerchant, form.Get("userId"))
		require.Equal(t, []string{permission.CreateInvoice.In(testMerchant), permission.ViewInvoices.In(testMerchant)}, form["permissions[]"])
	case <-tab.Done():
		require.Fail(t, "the key did not arrive")
	}
	require.Empty(t, seen.Blocked())
}
