package pages

import (
	"flag"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

var screenshots = flag.String("screenshots", "", "`directory` for pictures of every page; none are taken without it")

// TestScreenshots takes pictures of every page for people to check, on a phone and a desktop,
// light and dark, in English, German, Russian and Arabic, with `go test ./api/pages -run
// Screenshots -screenshots DIR`.
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
			browsertest.Open(t, tab, base+p.in(lang), func(look browsertest.Look) {
				browsertest.Picture(t, tab, *screenshots, p.name+"-"+lang, look)
			})
		}
	}
}
