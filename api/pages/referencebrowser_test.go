package pages

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
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

// TestBrowserShowsTheDocument loads the page in Chromium and checks that the document is
// rendered, that an operation opens, that no request goes to another host and that the
// security policy is not violated.
func TestBrowserShowsTheDocument(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(referenceSite())
	t.Cleanup(server.Close)
	tab, seen := browsertest.Start(t)

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

	require.Contains(t, seen.Fetched(), server.URL+"/openapi.json")
	for _, address := range seen.Fetched() {
		local := strings.HasPrefix(address, server.URL+"/") || strings.HasPrefix(address, "data:")
		require.True(t, local, "fetched %s", address)
	}
	require.Empty(t, seen.Blocked())
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

// TestEverybodyReadsTheDocument checks the viewer's colours with axe-core, with all operations
// closed and with one open. Other findings concern the viewer itself.
func TestEverybodyReadsTheDocument(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(referenceSite())
	t.Cleanup(server.Close)
	tab, _ := browsertest.Start(t)
	axe := browsertest.StartAxe(t, tab, "../..")
	for _, look := range browsertest.Looks() {
		browsertest.Wear(t, tab, look)
		require.NoError(t, chromedp.Do(tab, chromedp.Navigate(server.URL+"/docs"), chromedp.WaitVisible(chromedp.CSS(".opblock-summary-control"))))
		axe.Reads(t, "closed", look)
		require.NoError(t, chromedp.Do(tab,
			chromedp.Click(chromedp.CSS(".opblock-summary-control")),
			chromedp.WaitVisible(chromedp.CSS(".responses-wrapper")),
		))
		axe.Reads(t, "open", look)
	}
}
