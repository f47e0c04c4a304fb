package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

// axeRun reports the findings that keep somebody from using a page. It gets the
// options of axe.run.
const axeRun = `axe.run(document, Object.assign({resultTypes: ["violations"], preload: false}, %s)).then(result => JSON.stringify(result.violations
	.filter(v => v.impact === "serious" || v.impact === "critical")
	.map(v => ({rule: v.id, help: v.help, nodes: v.nodes.map(n => n.html)}))))`

// The rules of axe-core that a look follows: all, and those about colours.
const (
	allRules = `{}`
	colours  = `{runOnly: ["color-contrast", "link-in-text-block"]}`
)

// Axe lets axe-core look for barriers in pages. A page is looked at on a phone and on a
// desktop, where it may stand at another address, such as that of another language: with
// all rules in one colour scheme, and with those about colours in the other. The two
// windows differ in the scheme that all rules see.
//
// axe-core is let into the pages that the tab opens from now on, past their security
// policy. root leads from the test to the repository. Without npm the test is skipped,
// except in continuous integration.
func Axe(t *testing.T, tab context.Context, root string) (looksAt func(t *testing.T, phone, desktop string)) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(npmtest.Install(t, root, "axe"), "node_modules/axe-core/axe.min.js"))
	require.NoError(t, err)
	Call(t, tab, page.Enable, page.EnableParams{})
	Call(t, tab, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
	Call(t, tab, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: string(script)})
	return func(t *testing.T, phone, desktop string) {
		t.Helper()
		looks, opened := Looks(), ""
		for _, look := range []struct {
			address, rules string
			Look
		}{{phone, allRules, looks[0]}, {phone, colours, looks[1]}, {desktop, allRules, looks[3]}, {desktop, colours, looks[2]}} {
			Wear(t, tab, look.Look)
			if look.address != opened {
				require.NoError(t, chromedp.Do(tab, chromedp.Navigate(look.address)))
				opened = look.address
			}
			require.Empty(t, barriers(t, tab, look.rules), "%s, %s, %s", look.address, look.Name, look.Scheme)
		}
	}
}

// barriers are those in the open page.
func barriers(t *testing.T, tab context.Context, rules string) (serious []Barrier) {
	t.Helper()
	found, err := chromedp.Run(tab, chromedp.Evaluate[string](fmt.Sprintf(axeRun, rules), chromedp.EvalAwaitPromise))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal([]byte(found), &serious))
	return serious
}
