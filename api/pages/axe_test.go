package pages

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
)

// TestPagesAreAccessible lets axe-core look for barriers in every page, in
// both writing directions, both colour schemes, on a phone and on a desktop.
// Only this test lets a script into a page, past the page's security policy.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	barriers := browsertest.Axe(t, tab, "../..")
	for _, p := range list {
		for _, lang := range []string{"en", "ar"} {
			for _, w := range windows() {
				enter(t, tab, base+p.in(lang), w)
				require.Empty(t, barriers(t), "%s in %s, %s window, %s", p.name, lang, w.name, w.scheme)
			}
		}
	}
}
