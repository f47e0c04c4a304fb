// Package docs_test checks that the documents match the code.
package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var named = regexp.MustCompile("`([a-z0-9/]+) ((?:Test|Fuzz)[A-Za-z0-9]+)(?:/([^`]+))?`")

// TestChecklistNamesTestsThatExist checks that the tests named in the checklists exist in the
// source.
func TestChecklistNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{"checklist-merchant.md": 100, "checklist-swap.md": 80} {
		require.Greater(t, checkPage(t, page), least, page)
	}
}

// TestThreatModelNamesTestsThatExist checks the same for the tests of the threat model.
func TestThreatModelNamesTestsThatExist(t *testing.T) {
	t.Parallel()
	require.Greater(t, checkPage(t, "threat-model.md"), 40)
}

// checkPage returns the number of tests that the page names and checks that all of them exist.
func checkPage(t *testing.T, page string) (checked int) {
	t.Helper()
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	known := testIndex{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") || strings.HasPrefix(line, "| attacker") {
			continue
		}
		found := known.check(t, page, line)
		require.Positive(t, found, "nothing shows: %s", line)
		checked += found
	}
	return checked
}

// testIndex caches the tests of the packages that pages name: package, test, step.
type testIndex map[string]map[string]map[string]bool

// check returns the number of tests that a line names and checks that all of them exist. where
// is the position of the line, for the error text.
func (known testIndex) check(t *testing.T, where, line string) (checked int) {
	t.Helper()
	for _, name := range named.FindAllStringSubmatch(line, -1) {
		if known[name[1]] == nil {
			known[name[1]] = testsOf(t, name[1])
		}
		switch steps, ok := known[name[1]][name[2]]; {
		case !ok:
			t.Errorf("%s: %s has no %s", where, name[1], name[2])
		case name[3] != "" && !steps[name[3]]:
			t.Errorf("%s: %s %s has no step %q", where, name[1], name[2], name[3])
		}
		checked++
	}
	return checked
}

// testsOf returns the tests and fuzz tests of a package, each with the names of its steps.
func testsOf(t *testing.T, dir string) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
	require.NoError(t, err)
	tests := map[string]map[string]bool{}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil {
				tests[f.Name.Name] = stepsOf(f)
			}
		}
	}
	return tests
}

func stepsOf(f *ast.FuncDecl) map[string]bool {
	steps := map[string]bool{}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		if method, ok := call.Fun.(*ast.SelectorExpr); !ok || method.Sel.Name != "Run" {
			return true
		}
		if name, ok := call.Args[0].(*ast.BasicLit); ok {
			if text, err := strconv.Unquote(name.Value); err == nil {
				steps[text] = true
			}
		}
		return true
	})
	return steps
}
