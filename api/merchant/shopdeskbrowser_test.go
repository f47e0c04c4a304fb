package merchant_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/desk"
	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/money"
)

// TestABrowserUsesTheDeskWithoutScript signs up, sets up a shop, opens every page on a phone and
// a desktop in languages of both writing directions, and logs out. The browser loads nothing
// from other sites, and nothing violates the security policy.
func TestABrowserUsesTheDeskWithoutScript(t *testing.T) {
	t.Parallel()
	b, s := shopForBrowsers(t)
	tab, seen := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.url+"/sign-up"),
		chromedp.SendKeys(chromedp.CSS("#email"), "new@example.com"),
		chromedp.SendKeys(chromedp.CSS("#password"), password),
		chromedp.SendKeys(chromedp.CSS("#business_name"), "Tea & Söhne"),
		chromedp.Click(chromedp.CSS("form button")),
		chromedp.WaitVisible(chromedp.CSS(".copy")),
		chromedp.Navigate(b.url+"/settings"),
		chromedp.SendKeys(chromedp.CSS("#address"), payoutAddress),
		chromedp.Click(chromedp.CSS("form[action='/settings/payout'] button")),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")),
		chromedp.Navigate(b.url+"/till"),
		chromedp.Click(chromedp.CSS("button[value='7']")),
		chromedp.WaitVisible(chromedp.CSS("#amount[value='7']")),
		chromedp.Click(chromedp.CSS("a[href='/']")), // the till has no menu
		chromedp.Click(chromedp.CSS("form[action='/log-out'] button")),
		chromedp.WaitVisible(chromedp.CSS("#password")),
	))
	b.browserEntersShop(t, tab, s.shop)
	walk := func(paths []string) {
		for _, path := range paths {
			b.browserOpens(t, tab, s, path)
		}
	}
	walk(s.shopPages())
	b.browserEntersSandbox(t, tab)
	walk(s.sandboxPages())
	for _, address := range seen.Fetched() {
		own := strings.HasPrefix(address, "data:") // the browser's own picture for a date field
		require.True(t, own || strings.HasPrefix(address, b.url+"/"), "fetched %s", address)
	}
	require.Empty(t, seen.Blocked())
}

// phoneBegins is the height, in CSS pixels, from which a phone shows what a page is about.
const phoneBegins = 120

// browserOpens opens a page in every look and in both writing directions. The page is never wider than
// its window, breaks no word, and begins near the top of a phone.
func (b *bench) browserOpens(t *testing.T, tab context.Context, s belongings, path string) {
	t.Helper()
	for _, language := range []string{"de", "ar"} {
		address := b.url + path + "?lang=" + language
		shows := func(look browsertest.Look) {
			browsertest.Fits(t, tab, address, look)
			browsertest.WholeWords(t, tab, address, look)
			if look.Name != "desktop" {
				browsertest.BeginsWithin(t, tab, phoneBegins, address, look)
			}
		}
		browsertest.Enter(t, tab, address, browsertest.Smallest())
		shows(browsertest.Smallest())
		browsertest.Open(t, tab, address, func(look browsertest.Look) {
			shows(look)
			if *deskScreenshots != "" {
				browsertest.Picture(t, tab, *deskScreenshots, "shop"+strings.ReplaceAll(s.named(path), "/", "-")+"-"+language, look)
			}
		})
	}
}

// TestTheShopsDeskIsAccessible checks every page with axe-core, in both colour schemes, on a
// phone and on a desktop.
func TestTheShopsDeskIsAccessible(t *testing.T) {
	t.Parallel()
	b, s := shopForBrowsers(t)
	tab, _ := browsertest.Start(t)
	axe := browsertest.StartAxe(t, tab, "../..")
	for _, path := range []string{"/log-in", "/sign-up", "/forgot-password"} {
		axe.Walks(t, b.url+path+"?lang=ar")
	}
	b.browserEntersShop(t, tab, s.shop)
	look := func(paths []string) {
		for _, path := range paths {
			axe.Walks(t, b.url+path+"?lang=en")
		}
	}
	look(s.shopPages())
	b.browserEntersSandbox(t, tab)
	look(s.sandboxPages())
}

// shopForBrowsers returns a bench with content on every page.
func shopForBrowsers(t *testing.T) (*bench, belongings) {
	t.Helper()
	b := setup(t, func(d *merchant.Deps) { d.PublicURL = "http://127.0.0.1" })
	s := b.own(t)
	b.receive(t, s.charge, money.OneXMR/200)
	b.exec(t, `INSERT INTO refund_claims (id, refund_id, status, amount, address_sealed, address_masked, next_at, created_at)
		VALUES ($1, $2, 'awaiting_approval', 1000, '\x01', '48DCHZ…3FaS4u', now(), now())`, "rc_"+strings.TrimPrefix(s.refund, "rf_"), s.refund)
	b.exec(t, `UPDATE charges SET description = 'Two tickets', order_id = 'A-1001', metadata = '{"order_id":"A-1001","buyer_info":{"email":"anna@example.com"}}' WHERE id = $1`, s.charge)
	return b, s
}

// shopPages returns the pages that need a session.
func (s belongings) shopPages() (paths []string) {
	routes, open := desk.Routes()
	for _, route := range routes {
		method, path := s.shopPath(route)
		if method == http.MethodGet && !open[route] && !strings.Contains(path, ".") {
			paths = append(paths, path)
		}
	}
	return paths
}

// sandboxPages returns the pages that show more in the sandbox.
func (s belongings) sandboxPages() []string {
	return []string{"/", "/ask", "/charges/" + s.simulated}
}

// named returns a path with a word in place of an identifier.
func (s belongings) named(path string) string {
	for _, id := range []string{s.charge, s.request, s.delivery, s.swap, s.simulated} {
		path = strings.ReplaceAll(path, id, "one")
	}
	return path
}

// browserEntersShop fills in the form of the login.
func (b *bench) browserEntersShop(t *testing.T, tab context.Context, s shop) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.url+"/"),
		chromedp.SendKeys(chromedp.CSS("#email"), s.email),
		chromedp.SendKeys(chromedp.CSS("#password"), password),
		chromedp.Click(chromedp.CSS("form button")),
		chromedp.WaitVisible(chromedp.CSS(".nav")),
	))
}

// browserEntersSandbox presses the button that shows the sandbox.
func (b *bench) browserEntersSandbox(t *testing.T, tab context.Context) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.url+"/?lang=en"),
		chromedp.Click(chromedp.CSS("form[action='/mode'] button")),
		chromedp.WaitVisible(chromedp.CSS("aside.sandbox")),
	))
}
