package apidocs

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// document is a small OpenAPI 3.1 document.
const document = `{
  "openapi": "3.1.0",
  "info": {"title": "Shop API", "version": "1.0", "description": "Takes **payments**."},
  "paths": {"/api/charges": {"post": {
    "summary": "Create a charge", "tags": ["Charges"],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Charge"}}}},
    "responses": {"200": {"description": "The charge", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Charge"}}}}}
  }}, "/api/price": {"get": {"summary": "Get the price", "tags": ["Charges"], "security": [], "responses": {"200": {"description": "The price"}}}}},
  "components": {
    "schemas": {"Charge": {"type": "object", "properties": {"amount": {"type": "number", "examples": [25]}, "note": {"type": ["string", "null"]}}}},
    "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "x-api-key"}}
  },
  "security": [{"key": []}]
}`

// watcher collects what a tab fetches and what its security policy blocks.
type watcher struct {
	mu      sync.Mutex
	fetched []string
	blocked []string
}

func (w *watcher) see(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.fetched = append(w.fetched, e.Request.URL)
	case *cdplog.EventEntryAdded:
		if e.Entry.Source == cdplog.EntrySourceSecurity {
			w.blocked = append(w.blocked, e.Entry.Text)
		}
	}
}

// TestBrowserShowsTheDocument loads the page in Chromium: the document is
// rendered, an operation opens, nothing is fetched from elsewhere and nothing
// runs into the security policy.
func TestBrowserShowsTheDocument(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(handler())
	t.Cleanup(server.Close)
	tab, seen := startBrowser(t)

	require.NoError(t, chromedp.Do(tab,
		chromedp.EmulateViewport(1280, 900),
		chromedp.Navigate(server.URL+"/docs"),
		chromedp.WaitVisible(chromedp.CSS(".opblock-summary-control")),
		chromedp.Click(chromedp.CSS(".opblock-summary-control")),
		chromedp.WaitVisible(chromedp.CSS(".responses-wrapper")),
	))
	locks, err := chromedp.Run(tab, chromedp.Evaluate[[]string](`[...document.querySelectorAll(".opblock:has(.authorization__btn) .opblock-summary-path")].map(e => e.dataset.path)`))
	require.NoError(t, err)
	require.Equal(t, []string{"/api/charges"}, locks, "what needs a credential has a padlock, and nothing else")
	text, err := chromedp.Run(tab, chromedp.Text(chromedp.CSS("#docs")))
	require.NoError(t, err)
	for _, part := range []string{"Shop API", "/api/charges", "Create a charge", "The charge"} {
		require.Contains(t, text, part)
	}
	screenshot(t, tab)

	seen.mu.Lock()
	defer seen.mu.Unlock()
	require.Contains(t, seen.fetched, server.URL+"/openapi.json")
	for _, address := range seen.fetched {
		local := strings.HasPrefix(address, server.URL+"/") || strings.HasPrefix(address, "data:")
		require.True(t, local, "fetched %s", address)
	}
	require.Empty(t, seen.blocked)
}

// screenshot saves the page when DURAPAY_SCREENSHOTS names a directory.
func screenshot(t *testing.T, tab context.Context) {
	t.Helper()
	dir := os.Getenv("DURAPAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	shot, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "docs.png"), shot, 0o644))
}

// startBrowser opens a tab in a Chromium of its own; where none is installed
// the test is skipped.
func startBrowser(t *testing.T) (context.Context, *watcher) {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("chromium is not installed")
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(2*time.Minute), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("hide-scrollbars", true),
	)
	t.Cleanup(stop)
	tab, _ := chromedp.NewContext(allocator)
	t.Cleanup(func() { _ = chromedp.Cancel(tab) })
	for _, enable := range []func() error{
		func() error { _, err := chromedp.Call(tab, network.Enable, network.EnableParams{}); return err },
		func() error { _, err := chromedp.Call(tab, cdplog.Enable, cdp.Empty{}); return err },
	} {
		require.NoError(t, enable())
	}
	seen := &watcher{}
	require.NoError(t, chromedp.Listen(tab, seen.see))
	limited, done := context.WithTimeout(tab, 10*time.Minute)
	t.Cleanup(done)
	return limited, seen
}
