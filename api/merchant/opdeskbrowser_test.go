package merchant_test

import (
	"context"
	"flag"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/api/merchant"
	"github.com/durapay/durapay/api/opdesk"
	"github.com/durapay/durapay/internal/browsertest"
)

var deskScreenshots = flag.String("desk-screenshots", "", "`directory` for pictures of the operators' desk; none are taken without it")

// TestABrowserWalksTheDeskWithoutScript logs in, opens every page on a phone and a desktop,
// closes an alert and logs out. The browser loads nothing from other sites, and nothing violates
// the security policy.
func TestABrowserWalksTheDeskWithoutScript(t *testing.T) {
	t.Parallel()
	b, s, g := deskForBrowsers(t)
	tab, seen := browsertest.Start(t)
	browsertest.Call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.browserLogIn(t, tab, g)
	for _, path := range s.deskPages() {
		browsertest.Enter(t, tab, b.internal+path, browsertest.Smallest())
		browsertest.Fits(t, tab, path, browsertest.Smallest())
		browsertest.Open(t, tab, b.internal+path, func(look browsertest.Look) {
			browsertest.Fits(t, tab, path, look)
			if *deskScreenshots != "" {
				name := strings.Trim(strings.ReplaceAll(strings.SplitAfterN(path, "/", 3)[2], "/", "-"), "-")
				browsertest.Picture(t, tab, *deskScreenshots, name, look)
			}
		})
	}
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.internal+opdesk.Root+"/alerts"),
		chromedp.SendKeys(chromedp.CSS("#note-"+s.alert), "paid back"),
		chromedp.Click(chromedp.CSS("form[action$='/"+s.alert+"/resolve'] button")),
		chromedp.WaitVisible(chromedp.CSS("[role=status]")),
		chromedp.Click(chromedp.CSS("form[action$='/log-out'] button")),
		chromedp.WaitVisible(chromedp.CSS("#password")),
	))
	require.Equal(t, []string{"paid back"}, rowsOf[string](t, b, "SELECT note FROM alerts WHERE note IS NOT NULL"))
	for _, address := range seen.Fetched() {
		own := strings.HasPrefix(address, "data:") // the browser's own picture for a date field
		require.True(t, own || strings.HasPrefix(address, b.internal+"/"), "fetched %s", address)
	}
	require.Empty(t, seen.Blocked())
}

// TestTheDeskIsAccessible checks every page with axe-core, in both colour schemes, on a phone
// and on a desktop.
func TestTheDeskIsAccessible(t *testing.T) {
	t.Parallel()
	b, s, g := deskForBrowsers(t)
	tab, _ := browsertest.Start(t)
	axe := browsertest.StartAxe(t, tab, "../..")
	axe.Walks(t, b.internal+opdesk.Root+"/log-in")
	b.browserLogIn(t, tab, g)
	for _, path := range s.deskPages() {
		axe.Walks(t, b.internal+path)
	}
}

// TestTheDeskIsLight fails for a page of 100 KB or more.
func TestTheDeskIsLight(t *testing.T) {
	t.Parallel()
	b, s, g := deskForBrowsers(t)
	v := b.enterDesk(t, g)
	for _, path := range s.deskPages() {
		require.Less(t, len(v.page(t, path)), 100_000, path)
	}
}

// deskForBrowsers returns a bench with content on every page.
func deskForBrowsers(t *testing.T) (*bench, belongings, guarded) {
	t.Helper()
	b := setup(t, func(d *merchant.Deps) { d.TemporalUI, d.TemporalNamespace = "http://ui.example", "durapay" })
	s, g := b.own(t), b.operatorOf(t)
	b.exec(t, "UPDATE charges SET unbacked = true WHERE id = $1", s.charge)
	b.exec(t, "UPDATE witnesses SET safe_since = now(), safe_reason = 'the wallet has sent more than this database knows' WHERE wallet_id = 'live-1'")
	b.exec(t, "INSERT INTO chains (id) VALUES ('ltc-Mainnet')")
	b.exec(t, `INSERT INTO wallets (id, chain_id, role, ticker, network, decimals, total, unlocked)
		VALUES ('exchange-ltc', 'ltc-Mainnet', 'exchange', 'ltc', 'Mainnet', 8, 12.5, 2.25)`)
	b.exec(t, `INSERT INTO fee_tiers (volume_from, fee_rate) VALUES (100000000000000, 0.004)`)
	b.exec(t, `INSERT INTO audit (at, actor, action, subject, detail) VALUES (now(), 'cli:root', 'merchant.suspend', $1, '{"from":null,"to":"2026-11-21"}')`, s.id)
	return b, s, g
}

// deskPages returns the pages that need a session.
func (s belongings) deskPages() (paths []string) {
	for _, route := range opdesk.Routes() {
		if method, path := s.deskPath(route); method == http.MethodGet && !isOpen(route) {
			paths = append(paths, path)
		}
	}
	return paths
}

// browserLogIn fills in the form of the first page.
func (b *bench) browserLogIn(t *testing.T, tab context.Context, g guarded) {
	t.Helper()
	require.NoError(t, chromedp.Do(tab,
		chromedp.Navigate(b.internal+opdesk.Root+"/"),
		chromedp.SendKeys(chromedp.CSS("#email"), g.email),
		chromedp.SendKeys(chromedp.CSS("#password"), password),
		chromedp.SendKeys(chromedp.CSS("#code"), b.code(t, g.secret, 0)),
		chromedp.Click(chromedp.CSS("button")),
		chromedp.WaitVisible(chromedp.CSS(".nav")),
	))
}
