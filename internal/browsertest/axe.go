package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/testkit"
)

// axeRun returns the serious and critical findings, which keep people from using a page, as a
// JSON list. It gets the options of axe.run.
const axeRun = `axe.run(document, Object.assign({resultTypes: ["violations"], preload: false}, %s)).then(result => JSON.stringify(result.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html)}))))`

// The rules of axe-core that a look follows: all, and those about colours.
const (
	allRules = `{}`
	colours  = `{runOnly: ["color-contrast", "link-in-text-block"]}`
)

// Axe is axe-core in a tab.
type Axe struct {
	tab context.Context //nolint:containedctx // chromedp keeps its tab in a context
}

// StartAxe lets axe-core into the pages that the tab opens from now on, past their
// security policy. root leads from the test to the repository. Without npm the test is
// skipped, except in continuous integration.
func StartAxe(t *testing.T, tab context.Context, root string) *Axe {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(testkit.NPM(t, root, "axe"), "node_modules/axe-core/axe.min.js"))
	require.NoError(t, err)
	Call(t, tab, page.Enable, page.EnableParams{})
	Call(t, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	Call(t, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: string(script)})
	return &Axe{tab}
}

// Walks looks for barriers in a page on a light phone, and for unreadable colours on a dark desktop.
func (a *Axe) Walks(t *testing.T, address string) {
	t.Helper()
	phone, desktop := Looks()[0], Looks()[3]
	Enter(t, a.tab, address, phone)
	a.Looks(t, address, phone)
	Wear(t, a.tab, desktop)
	a.Reads(t, address, desktop)
}

// Looks looks for barriers in the open page, as the tab shows it.
func (a *Axe) Looks(t *testing.T, name string, look Look) {
	t.Helper()
	a.follows(t, allRules, name, look)
}

// Reads looks for unreadable colours in the open page.
func (a *Axe) Reads(t *testing.T, name string, look Look) {
	t.Helper()
	a.follows(t, colours, name, look)
}

func (a *Axe) follows(t *testing.T, rules, name string, look Look) {
	t.Helper()
	found, err := chromedp.Run(a.tab, chromedp.Evaluate[string](fmt.Sprintf(axeRun, rules), chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	require.Equal(t, "[]", found, "%s, %s, %s", name, look.Name, look.Scheme)
}
