package pages

import (
	"testing"

	"github.com/durapay/durapay/internal/browsertest"
)

// TestPagesAreAccessible lets axe-core look for barriers in every page, in
// both colour schemes, on a phone and on a desktop.
// Only this test lets a script into a page, past the page's security policy.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	axe := browsertest.StartAxe(t, tab, "../..")
	for _, p := range list {
		axe.Walks(t, base+p.in("en"))
	}
}
