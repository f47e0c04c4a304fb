package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxFollowed is the maximum number of files that a reader opens to follow a charge.
const maxFollowed = 16

var (
	step = regexp.MustCompile("^\\| \\d+ \\|[^|]*\\| `([^`]+\\.go)` \\|([^|]+)\\|")
	code = regexp.MustCompile("`([^`]+)`")
)

// TestEachStepOfAChargeIsThere checks that each function of follow-one-charge.md is in the
// file that the page names. Otherwise it reports where the function is now.
func TestEachStepOfAChargeIsThere(t *testing.T) {
	t.Parallel()
	const page = "follow-one-charge.md"
	files, wrong := map[string]bool{}, []string{}
	for number, line := range lines(t, page) {
		found := step.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		files[found[1]] = true
		for _, name := range code.FindAllStringSubmatch(found[2], -1) {
			if slices.Contains(functionsOf(t, filepath.Join("..", found[1])), name[1]) {
				continue
			}
			wrong = append(wrong, fmt.Sprintf("docs/%s:%d: %s has no %s, %s", page, number+1, found[1], name[1], whereIs(t, name[1])))
		}
	}
	require.Empty(t, wrong, strings.Join(wrong, "\n"))
	require.Greater(t, len(files), 10, "docs/%s has lost its steps", page)
	require.LessOrEqual(t, len(files), maxFollowed, "a reader should not have to open more files")
}

// functionsOf returns the functions of a file, methods as Type.Method; none if the file does
// not exist.
func functionsOf(t *testing.T, path string) (names []string) {
	t.Helper()
	if _, err := filepath.EvalSymlinks(path); err != nil {
		return nil
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		name := f.Name.Name
		if f.Recv != nil {
			name = receiver(f.Recv.List[0].Type) + "." + name
		}
		names = append(names, name)
	}
	return names
}

func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	default:
		return ""
	}
}

// whereIs reports which files have a function of that name, on any type.
func whereIs(t *testing.T, name string) string {
	t.Helper()
	method := name[strings.LastIndex(name, ".")+1:]
	var places []string
	for _, root := range []string{"api", "workflows", "activities", "internal", "worker"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			for _, f := range functionsOf(t, path) {
				if f == method || strings.HasSuffix(f, "."+method) {
					places = append(places, strings.TrimPrefix(path, "../")+" "+f)
				}
			}
			return nil
		}))
	}
	if len(places) == 0 {
		return "and nothing is called so any more"
	}
	return "it may be: " + strings.Join(places, ", ")
}
