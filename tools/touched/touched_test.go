package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

// TestEveryPackageHasARow checks that each package of go list is in one row, by itself or
// below a folder with /... .
func TestEveryPackageHasARow(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "go", "list", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	require.NoError(t, err)
	for name := range strings.FieldsSeq(string(out)) {
		name = strings.TrimPrefix(name, "github.com/durapay/durapay/")
		var in []string
		for _, r := range rows {
			for _, p := range r.paths {
				if folder, below := strings.CutSuffix(p, "/..."); p == name || below && strings.HasPrefix(name+"/", folder+"/") {
					in = append(in, p)
				}
			}
		}
		if len(in) != 1 {
			t.Errorf("%s stands in %d rows of tools/touched/map.go: which long tests does its change call for? %v", name, len(in), in)
		}
	}
}

// TestRowsNameWhatExists checks that each path of the map and each suite exists, and that each
// suite is in a row.
func TestRowsNameWhatExists(t *testing.T) {
	t.Parallel()
	var names, used []string
	for _, s := range suites {
		names = append(names, s.name)
	}
	for _, r := range rows {
		used = append(used, r.suites...)
		for _, p := range r.paths {
			_, err := os.Stat(filepath.Join(root, strings.TrimSuffix(p, "/...")))
			require.NoError(t, err)
		}
	}
	require.ElementsMatch(t, names, slices.Compact(slices.Sorted(slices.Values(used))))
}

// TestSuitesMatchTests checks that each alternative of a suite's pattern matches a test of its
// packages.
func TestSuitesMatchTests(t *testing.T) {
	t.Parallel()
	for _, s := range suites {
		if s.command != nil {
			continue
		}
		tests := testsOf(t, s.packages)
		for pattern := range strings.SplitSeq(s.tests, "|") {
			if !slices.ContainsFunc(tests, regexp.MustCompile(pattern).MatchString) {
				t.Errorf("the suite %s: %s matches none of the tests of %v: %v", s.name, pattern, s.packages, tests)
			}
		}
	}
}

func testsOf(t *testing.T, packages []string) (names []string) {
	t.Helper()
	for _, name := range packages {
		files, err := filepath.Glob(filepath.Join(root, strings.TrimSuffix(name, "/..."), "*_test.go"))
		require.NoError(t, err)
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			for _, decl := range parsed.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" {
					names = append(names, f.Name.Name)
				}
			}
		}
	}
	return names
}

// TestTheNearestRowDecides checks that a file's row is that of its package, or of the nearest
// folder above it that has one.
func TestTheNearestRowDecides(t *testing.T) {
	t.Parallel()
	require.Subset(t, suitesOf("internal/chain/xmrwallet/build.go"), []string{"forks", "kills", "restores", "chaos"})
	require.Contains(t, suitesOf("workflows/testdata/v0.1.0/charge.json"), "kills")
	require.Equal(t, []string{"compose"}, suitesOf("deploy/compose_test.go"))
	require.Contains(t, suitesOf("api/pages/kit/kit.go"), "browser")
	require.Empty(t, suitesOf("docs/glossary.md"))
	require.Empty(t, suitesOf("README.md"))
	require.Equal(t, map[string][]string{"browser": {"api/desk/a.go", "api/pages/b.go"}}, reasons([]string{"api/desk/a.go", "docs/c.md", "api/pages/b.go"}))
}
