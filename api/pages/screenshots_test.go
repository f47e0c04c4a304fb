package pages

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

var screenshots = flag.String("screenshots", "", "`directory` for pictures of every page; none are taken without it")

// TestScreenshots takes pictures of every page for people to look at, on a
// phone and a desktop, light and dark, in English, German, Russian and Arabic,
// by `go test ./api/pages -run Screenshots -screenshots DIR`.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	if *screenshots == "" {
		t.Skip("-screenshots names no directory")
	}
	require.NoError(t, os.MkdirAll(*screenshots, 0o755))
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	for _, p := range list {
		for _, lang := range []string{"en", "de", "ru", "ar"} {
			for _, w := range windows() {
				enter(t, tab, base+p.in(lang), w)
				shot, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
				require.NoError(t, err)
				name := p.name + "-" + lang + "-" + w.name + "-" + w.scheme + ".png"
				require.NoError(t, os.WriteFile(filepath.Join(*screenshots, name), shot, 0o644))
			}
		}
	}
}
