package browsertest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/npmtest"
)

// Barrier is a serious or critical finding of axe-core.
type Barrier struct {
	Rule  string   `json:"rule"`
	Help  string   `json:"help"`
	Nodes []string `json:"nodes"`
}

// axeRun reports the findings that keep somebody from using a page.
const axeRun = `;
axe.run(document, {resultTypes: ["violations"]}).then(result => JSON.stringify(result.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html)}))))`

// Axe lets axe-core look for barriers in the page that a tab shows. It is let into
// the pages of the tab past their security policy. root leads from the test to the
// repository. Without npm the test is skipped, except in continuous integration.
func Axe(t *testing.T, tab context.Context, root string) func(t *testing.T) []Barrier {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(npmtest.Install(t, root, "axe"), "node_modules/axe-core/axe.min.js"))
	require.NoError(t, err)
	source := strings.TrimSpace(string(script)) + axeRun
	Call(t, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	return func(t *testing.T) []Barrier {
		t.Helper()
		found, err := chromedp.Run(tab, chromedp.Evaluate[string](source, chromedp.EvalAwaitPromise))
		require.NoError(t, err)
		var serious []Barrier
		require.NoError(t, json.Unmarshal([]byte(found), &serious))
		return serious
	}
}
