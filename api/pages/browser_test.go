package pages

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

type shown struct{ name, path string }

// in returns the address of the page in a language.
func (s shown) in(lang string) string {
	if strings.Contains(s.path, "?") {
		return s.path + "&lang=" + lang
	}
	return s.path + "?lang=" + lang
}

// exhibition serves every page in every state.
func exhibition(t *testing.T) (base string, list []shown) {
	t.Helper()
	all := gallery{}
	for i, name := range slices.Sorted(maps.Keys(views())) {
		view := views()[name]
		view.ID = fmt.Sprintf("ch_%024x", i)
		all[view.ID] = view
		list = append(list, shown{name, "/pay/" + view.ID})
		if name == "fields" {
			list = append(list, shown{"fields_later", "/pay/" + view.ID + "?details=later"})
		}
		if name == "waiting" {
			list = append(list, shown{"paused", "/pay/" + view.ID + "?refresh=off"})
		}
		if stageOf(view).done() {
			list = append(list, shown{name + "_receipt", receiptPath(view.ID)})
		}
	}
	shows := connectShow()
	maps.Copy(shows, claimShow())
	asked := siteOf(t, waiting(), &requests{view: paymentRequest("email", "shipping_note")})
	shows["request_wrong"] = func(w http.ResponseWriter, r *http.Request) {
		long := strings.NewReader("lang=" + r.URL.Query().Get("lang") + "&shipping_note=" + strings.Repeat("x", maxField+1) + "&email=refused")
		sent := httptest.NewRequestWithContext(r.Context(), http.MethodPost, "/pay/"+testRequest+"?"+r.URL.RawQuery, long)
		sent.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		asked.ServeHTTP(w, sent)
	}
	server := httptest.NewServer(withoutReloading(withPages(shows, serve(all, &requests{view: paymentRequest("email", "shipping_note")}))))
	t.Cleanup(server.Close)
	for _, name := range slices.Sorted(maps.Keys(shows)) {
		list = append(list, shown{name, "/show/" + name})
	}
	return server.URL, append(list,
		shown{"request", "/pay/" + testRequest}, shown{"request_gone", "/pay/pr_gone"}, shown{"not_found", "/pay/ch_nothing"},
		shown{"error", "/pay/" + brokenID}, shown{"button_empty", "/button"}, shown{"button", buttonQuery()},
		shown{"email", "/verify-email/" + testToken}, shown{"email_gone", "/verify-email/" + testMerchant + testMerchant},
		shown{"button_wrong", buttonQuery("merchant_id", "0123", "amount", "8,50", "fields", "E-Mail")},
	)
}

// withoutReloading stops pages from reloading themselves during the test.
func withoutReloading(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(still{w}, r) })
}

// still is a response without the header by which a page reloads itself.
type still struct{ http.ResponseWriter }

// WriteHeader removes the header.
func (s still) WriteHeader(status int) {
	s.Header().Del("Refresh")
	s.ResponseWriter.WriteHeader(status)
}

// Write removes the header if WriteHeader was not called.
func (s still) Write(b []byte) (int, error) {
	s.Header().Del("Refresh")
	return s.ResponseWriter.Write(b)
}

// TestBrowserShowsEveryPage loads every page without scripts and checks that no page is wider
// than the window, fetches anything from another host or violates the security policy.
func TestBrowserShowsEveryPage(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	tab, seen := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	desktop := browsertest.Looks()[2]
	for _, p := range list {
		for _, c := range Catalogues() {
			address := base + p.in(c.Tag.String())
			browsertest.Enter(t, tab, address, browsertest.Smallest())
			browsertest.Fits(t, tab, address, browsertest.Smallest())
		}
		browsertest.Wear(t, tab, desktop)
		browsertest.Fits(t, tab, p.name, desktop)
	}
	require.NotEmpty(t, seen.Fetched())
	for _, address := range seen.Fetched() {
		require.True(t, strings.HasPrefix(address, base+"/"), "fetched %s", address)
	}
	require.Empty(t, seen.Blocked())
}

// TestBrowserRevealsNothingToOtherSites follows the link to the merchant's site. That site must
// not learn the address of the page, which is a secret of the payment.
func TestBrowserRevealsNothingToOtherSites(t *testing.T) {
	t.Parallel()
	arrived := make(chan *http.Request, 10)
	shop := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/thanks" {
			arrived <- r
		}
	}))
	t.Cleanup(shop.Close)
	back := shop.URL + "/thanks"
	site := httptest.NewServer(handler(t, with(func(v *View) { confirmed(v); v.ReturnURL = &back })))
	t.Cleanup(site.Close)
	tab, _ := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(site.URL+"/pay/"+testID),
		chromedp.Click(chromedp.CSS("a.button")),
	))
	select {
	case r := <-arrived:
		require.Empty(t, r.Referer())
	case <-tab.Done():
		require.Fail(t, "the link was not followed")
	}
}
