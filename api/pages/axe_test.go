package pages

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/browsertest"
	"github.com/durapay/durapay/internal/npmtest"
)

// TestPagesAreAccessible lets axe-core look for barriers in every page, in
// both writing directions, both colour schemes, on a phone and on a desktop.
// Only this test lets a script into a page, past the page's security policy.
func TestPagesAreAccessible(t *testing.T) {
	t.Parallel()
	axe := axeSource(t)
	base, list := exhibition(t)
	tab, _ := browsertest.Start(t)
	browsertest.Call(t, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	for _, p := range list {
		for _, lang := range []string{"en", "ar"} {
			for _, w := range windows() {
				enter(t, tab, base+p.in(lang), w)
				found, err := chromedp.Run(tab, chromedp.Evaluate[string](axe+axeRun, chromedp.EvalAwaitPromise))
				require.NoError(t, err)
				var serious []barrier
				require.NoError(t, json.Unmarshal([]byte(found), &serious))
				require.Empty(t, serious, "%s in %s, %s window, %s", p.name, lang, w.name, w.scheme)
			}
		}
	}
}

// axeRun reports the findings that keep somebody from paying.
const axeRun = `;
axe.run(document, {resultTypes: ["violations"]}).then(result => JSON.stringify(result.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html)}))))`

// barrier is a finding of axe-core.
type barrier struct {
	Rule  string   `json:"rule"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// axeSource is the script. Without npm the test is skipped, except in continuous
// integration.
func axeSource(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(npmtest.Install(t, "../..", "axe"), "node_modules/axe-core/axe.min.js"))
	require.NoError(t, err)
	return strings.TrimSpace(string(script))
}
