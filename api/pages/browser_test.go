package pages

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// shots names the directory that screenshots are saved in; without it the
// browser test takes none.
const shots = "DURAPAY_SCREENSHOTS"

// window is a viewport in CSS pixels and a colour scheme.
type window struct {
	name          string
	width, height int64
	scheme        string
}

func windows() []window {
	return []window{
		{"small", 320, 640, "light"},
		{"phone", 360, 740, "light"},
		{"phone", 360, 740, "dark"},
		{"desktop", 1280, 800, "light"},
		{"desktop", 1280, 800, "dark"},
	}
}

// TestBrowserShowsEveryState loads every page without script in the windows of
// phones and of a desktop: nothing is wider than the window, and nothing is
// fetched from elsewhere.
func TestBrowserShowsEveryState(t *testing.T) {
	t.Parallel()
	tab, fetched := startBrowser(t)
	var own []string
	for name, view := range views() {
		server := httptest.NewServer(handler(t, view))
		defer server.Close()
		own = append(own, server.URL+"/")
		paths := map[string]string{name: "/pay/" + view.ID}
		if name == "waiting" {
			paths["not_found"] = "/pay/ch_nothing"
			paths["request"] = "/pay/" + testRequest
			paths["error"] = "/pay/" + brokenID
			paths["paused"] = "/pay/" + view.ID + "?refresh=off"
			paths["button"] = buttonQuery()
		}
		for label, path := range paths {
			for _, w := range windows() {
				inspect(t, tab, server.URL+path, label, w)
			}
		}
		addresses := fetched()
		require.NotEmpty(t, addresses)
		for _, address := range addresses {
			// An icon may still be fetched when the next page is open.
			ours := slices.ContainsFunc(own, func(prefix string) bool { return strings.HasPrefix(address, prefix) })
			require.True(t, ours, "%s fetched %s", name, address)
		}
	}
}

func inspect(t *testing.T, tab context.Context, address, label string, w window) {
	t.Helper()
	call(t, tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: w.width, Height: w.height, DeviceScaleFactor: 1, Mobile: w.name != "desktop",
	})
	call(t, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: w.scheme}},
	})
	require.NoError(t, chromedp.Do(tab, chromedp.Navigate(address)))
	layout := call(t, tab, page.GetLayoutMetrics, cdp.Empty{})
	require.LessOrEqual(t, layout.CSSContentSize.Width, float64(w.width), "%s, %s window", label, w.name)
	if dir := os.Getenv(shots); dir != "" {
		shot, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
		require.NoError(t, err)
		name := label + "-" + w.name + "-" + w.scheme + ".png"
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), shot, 0o644))
	}
}

func call[P, R any](t *testing.T, tab context.Context, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(tab, command, params)
	require.NoError(t, err)
	return result
}

// startBrowser opens a tab without script in a Chromium of its own, and
// returns a function that hands out the addresses fetched since its last call.
// Where no Chromium is installed the test is skipped.
func startBrowser(t *testing.T) (tab context.Context, fetched func() []string) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true),
	)
	t.Cleanup(stop)
	tab, _ = chromedp.NewContext(allocator)
	t.Cleanup(func() { _ = chromedp.Cancel(tab) })
	call(t, tab, network.Enable, network.EnableParams{})
	call(t, tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	return tab, watch(t, tab)
}

func watch(t *testing.T, tab context.Context) func() []string {
	t.Helper()
	var mu sync.Mutex
	var list []string
	require.NoError(t, chromedp.Listen(tab, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, sent.Request.URL)
		}
	}))
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		taken := list
		list = nil
		return taken
	}
}
