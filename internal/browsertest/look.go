package browsertest

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// Look is a way of seeing pages: a window in CSS pixels, and a colour scheme.
type Look struct {
	Name          string
	Width, Height int64
	Scheme        string
}

// Looks are a phone and a desktop, in both colour schemes.
func Looks() []Look {
	return []Look{
		{"phone", 360, 740, "light"},
		{"phone", 360, 740, "dark"},
		{"desktop", 1280, 800, "light"},
		{"desktop", 1280, 800, "dark"},
	}
}

// Smallest is the narrowest window that pages must fit into.
func Smallest() Look { return Look{"small", 320, 640, "light"} }

// Wear shows the open page, and those that the tab opens from now on, in a look.
func Wear(t *testing.T, tab context.Context, look Look) {
	t.Helper()
	Call(t, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: look.Width, Height: look.Height, DeviceScaleFactor: 1, Mobile: look.Name != "desktop",
	})
	Call(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.Scheme}},
	})
}

// Enter opens the page at an address in a look.
func Enter(t *testing.T, tab context.Context, address string, look Look) {
	t.Helper()
	Wear(t, tab, look)
	require.NoError(t, chromedp.Do(tab, chromedp.Navigate(address)))
}

// Open opens the page at an address once and shows it in every look.
func Open(t *testing.T, tab context.Context, address string, seen func(look Look)) {
	t.Helper()
	for i, look := range Looks() {
		if i == 0 {
			Enter(t, tab, address, look)
		} else {
			Wear(t, tab, look)
		}
		seen(look)
	}
}

// Fits fails where the open page is wider than the window.
func Fits(t *testing.T, tab context.Context, address string, look Look) {
	t.Helper()
	layout := Call(t, tab, page.GetLayoutMetrics, cdp.Empty{})
	require.Equal(t, look.Width, layout.CSSLayoutViewport.ClientWidth, "%s, %s", address, look.Name)
	require.LessOrEqual(t, layout.CSSContentSize.Width, float64(look.Width), "%s, %s", address, look.Name)
}

// Picture writes what the open page shows into a directory, as NAME-LOOK.png.
func Picture(t *testing.T, tab context.Context, directory, name string, look Look) {
	t.Helper()
	shot, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	file := filepath.Join(directory, name+"-"+look.Name+"-"+look.Scheme+".png")
	require.NoError(t, os.WriteFile(file, shot, 0o600))
}

// brokenWords returns the texts of the open page that break a word over two lines, of at most 24
// characters and without a sign that a line may end at.
const brokenWords = `[...document.querySelectorAll("h1, h2, dt, dd bdi, th, td bdi, label, legend, summary, .button, nav a, .chips a")].filter(e => {
	const words = document.createTreeWalker(e, NodeFilter.SHOW_TEXT), range = document.createRange();
	for (let node; e.checkVisibility() && (node = words.nextNode());) {
		for (const word of node.data.matchAll(/[^\s\/-]+/g)) {
			range.setStart(node, word.index);
			range.setEnd(node, word.index + word[0].length);
			const lines = new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top)));
			if (word[0].length <= 24 && lines.size > 1) return true;
		}
	}
	return false;
}).map(e => e.textContent.trim()).join("; ")`

// WholeWords fails where the open page breaks a word over two lines.
func WholeWords(t *testing.T, tab context.Context, address string, look Look) {
	t.Helper()
	broken, err := chromedp.Run(tab, chromedp.Evaluate[string](brokenWords))
	require.NoError(t, err)
	require.Empty(t, broken, "%s, %s, %d", address, look.Name, look.Width)
}

// BeginsWithin fails where the heading of the open page begins below a height, in CSS pixels.
func BeginsWithin(t *testing.T, tab context.Context, most float64, address string, look Look) {
	t.Helper()
	top, err := chromedp.Run(tab, chromedp.Evaluate[float64](`document.querySelector("h1").getBoundingClientRect().top`))
	require.NoError(t, err)
	require.LessOrEqual(t, top, most, "%s, %s, %d", address, look.Name, look.Width)
}
