package pages

import (
	"testing"

	"github.com/durapay/durapay/internal/browsertest"
)

// TestPagesAreAccessible checks every page with axe-core for barriers, in both colour schemes,
// on a phone and on a desktop. Only this test runs a script in a page, past the page's
// security policy.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	axe := browsertest.StartAxe(t, tab, "../..")
	for _, p := range list {
		axe.Walks(t, base+p.in("en"))
	}
}
