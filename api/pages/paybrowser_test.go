package pages

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

// smallPhone is the first screen of a small phone.
func smallPhone() browsertest.Look {
	return browsertest.Look{Name: "phone", Width: 375, Height: 667, Scheme: "light"}
}

// TestBrowserShowsWhatToPayOnTheFirstScreen checks that the purpose, the price, the amount and the
// whole QR code are above the fold in every language.
func TestBrowserShowsWhatToPayOnTheFirstScreen(t *testing.T) {
	t.Parallel()
	all := gallery{}
	for i, name := range []string{"waiting", "sandbox", "fields", "rival", "unwatched"} {
		view := views()[name]
		view.ID = fmt.Sprintf("ch_%024x", i)
		all[view.ID] = view
	}
	server := httptest.NewServer(withoutReloading(serve(all, &requests{view: paymentRequest()})))
	t.Cleanup(server.Close)
	tab, _ := browsertest.Start(t)
	for id, view := range all {
		for _, c := range Catalogues() {
			address := server.URL + "/pay/" + id + "?lang=" + c.Tag.String()
			browsertest.Enter(t, tab, address, smallPhone())
			for _, what := range []string{".brief", "h1", "iframe", "#amount", ".scan img"} {
				bottom, err := chromedp.Run(tab, chromedp.Evaluate[float64](
					fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().bottom", what)))
				require.NoError(t, err)
				require.Positive(t, bottom, "%s: %s", address, what)
				if what == ".scan img" && (view.Unwatched || view.RivalSeen) {
					continue // there the buyer reads first that nothing should be sent
				}
				require.LessOrEqual(t, bottom, float64(smallPhone().Height), "%s: %s", address, what)
			}
		}
	}
}

// readStatusAgain reloads the frame with the status, as it does by itself after some seconds.
func readStatusAgain(t *testing.T, tab context.Context) {
	t.Helper()
	_, err := chromedp.Run(tab, chromedp.Evaluate[string](`new Promise(done => {
		const f = document.querySelector("iframe"); f.onload = () => done("loaded"); f.contentWindow.location.reload() })`, chromedp.EvalAwaitPromise))
	require.NoError(t, err)
}

// fitsItsFrame compares the height of the status with that of its frame.
const fitsItsFrame = `(() => { const f = document.querySelector("iframe"); return f.contentDocument.documentElement.scrollHeight - f.clientHeight })()`

// TestBrowserShowsTheWholeStatus checks that the status needs no scrolling in its frame, when the
// page is opened and when a payment arrives while it is open.
func TestBrowserShowsTheWholeStatus(t *testing.T) {
	t.Parallel()
	var now atomic.Pointer[View]
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		withoutReloading(serve(charges{*now.Load()}, &requests{})).ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	tab, _ := browsertest.Start(t)
	for before, after := range map[string][]string{
		"waiting": {"waiting", "partial", "seen", "unwatched_seen", "confirming", "confirmed", "expired", "unwatched", "rival", "link_inactive"},
		"partial": {"partial", "seen", "overpaid", "expired_partial"},
	} {
		for _, c := range Catalogues() {
			now.Store(new(views()[before]))
			browsertest.Enter(t, tab, server.URL+"/pay/"+testID+"?lang="+c.Tag.String(), smallPhone())
			for _, name := range after {
				now.Store(new(views()[name]))
				readStatusAgain(t, tab)
				for _, look := range []browsertest.Look{smallPhone(), browsertest.Smallest(), browsertest.Looks()[2]} {
					browsertest.Wear(t, tab, look)
					over, err := chromedp.Run(tab, chromedp.Evaluate[float64](fitsItsFrame))
					require.NoError(t, err)
					require.LessOrEqual(t, over, 0.0, "%s, %s, %s, %d px", before, name, c.Tag, look.Width)
				}
			}
		}
	}
}

// TestBrowserKeepsTheSelectedAddress selects the address by a tap and by the keyboard, lets the
// status reload, and finds the selection as it was. No page runs a script of its own.
func TestBrowserKeepsTheSelectedAddress(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(handler(t, waiting()))
	t.Cleanup(server.Close)
	tab, seen := browsertest.Start(t)
	browsertest.Enter(t, tab, server.URL+"/pay/"+testID, smallPhone())
	status := func() (n int) {
		for _, address := range seen.Fetched() {
			if strings.Contains(address, statusPath) {
				n++
			}
		}
		return n
	}
	selected := func() string {
		text, err := chromedp.Run(tab, chromedp.Evaluate[string](`(() => { const a = document.activeElement
			return a.tagName === "INPUT" ? a.value.slice(a.selectionStart, a.selectionEnd) : getSelection().toString() })()`))
		require.NoError(t, err)
		return strings.TrimSpace(text)
	}
	reload := func() {
		before := status()
		readStatusAgain(t, tab)
		require.Greater(t, status(), before)
	}
	require.NoError(t, chromedp.Do(tab, chromedp.Click(chromedp.CSS("#address"))))
	require.Equal(t, testAddress, selected(), "by a tap")
	reload()
	require.Equal(t, testAddress, selected())

	require.NoError(t, chromedp.Do(tab, chromedp.Click(chromedp.CSS("#amount"))))
	require.Equal(t, "0.123456789012", selected())
	found := map[string]bool{}
	for range 12 {
		require.NoError(t, chromedp.Do(tab, chromedp.KeyEvent("\t")))
		text := selected()
		found[text] = true
		lost, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.activeElement.contentDocument?.activeElement === document.activeElement.contentDocument?.body && document.activeElement.tagName === "IFRAME"`))
		require.NoError(t, err)
		require.False(t, lost, "the focus can be seen at each stop")
		if text == testAddress {
			break
		}
	}
	require.True(t, found[testAddress], "by the keyboard: %v", found)
	reload()
	require.Equal(t, testAddress, selected())
}

// cutWords lists words that are broken between two lines. Texts without places to break, such as
// addresses, may be.
const cutWords = `(() => { const cut = [], all = d => {
	const walk = d.createTreeWalker(d.body, NodeFilter.SHOW_TEXT)
	for (let n = walk.nextNode(); n; n = walk.nextNode()) {
		if (n.parentElement.closest("code, .unseen, .keys, textarea, .brief, .description, .merchant-name, option, [translate=no]:not(#amount)")) continue
		for (const m of n.data.matchAll(/[^\s\u00a0-]+/g)) {
			const r = d.createRange(); r.setStart(n, m.index); r.setEnd(n, m.index + m[0].length)
			const tops = new Set([...r.getClientRects()].filter(c => c.width > 0.5).map(c => Math.round(c.top)))
			if (tops.size > 1 && !m[0].includes("@") && !m[0].includes("/")) cut.push(m[0])
		}
	}
	for (const f of d.querySelectorAll("iframe")) all(f.contentDocument)
	return cut }
	return all(document).join(" ") })()`

// TestBrowserCutsNoWord looks at every page in the narrowest window, in every language.
func TestBrowserCutsNoWord(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	for _, p := range list {
		for _, c := range Catalogues() {
			browsertest.Enter(t, tab, base+p.in(c.Tag.String()), browsertest.Smallest())
			cut, err := chromedp.Run(tab, chromedp.Evaluate[string](cutWords))
			require.NoError(t, err)
			require.Empty(t, cut, "%s, %s", p.name, c.Tag)
		}
	}
}

// maxPage is the maximum size of a page with its stylesheet, icon and pictures, in bytes.
const maxPage = 100_000

// TestEveryPageIsSmall adds up what a page loads.
func TestEveryPageIsSmall(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	read := func(path string) string {
		r, err := http.Get(base + path)
		require.NoError(t, err)
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		return string(body)
	}
	for _, p := range list {
		text := read(p.in("ru"))
		size, d := len(text), parseText(t, text)
		for tag, attribute := range map[string]string{"link": "href", "img": "src", "iframe": "src"} {
			for _, n := range d.all(tag) {
				size += len(read(value(t, n, attribute)))
			}
		}
		require.Less(t, size, maxPage, p.name)
	}
}

// TestAReceiptIsPrintedWithoutWhatIsForTheScreen renders a receipt as a printer would.
func TestAReceiptIsPrintedWithoutWhatIsForTheScreen(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(handler(t, views()["confirmed"]))
	t.Cleanup(server.Close)
	tab, _ := browsertest.Start(t)
	browsertest.Enter(t, tab, server.URL+"/pay/"+testID+"/receipt", smallPhone())
	browsertest.Call(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"})
	for what, shown := range map[string]bool{".languages": false, ".screen": false, "dl": true, "h1": true} {
		height, err := chromedp.Run(tab, chromedp.Evaluate[float64](fmt.Sprintf("document.querySelector(%q).getBoundingClientRect().height", what)))
		require.NoError(t, err)
		require.Equal(t, shown, height > 0, what)
	}
	printed := browsertest.Call(t, tab, page.PrintToPDF, page.PrintToPDFParams{})
	require.NotEmpty(t, printed.Data)
}
