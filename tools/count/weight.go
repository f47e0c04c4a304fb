package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// smallPackage is the size in lines below which a package hardly earns its name.
const smallPackage = 150

// weight holds the figures of a repository.
type weight struct {
	// packages has the lines of source of each folder; 0 for a folder of only generated files
	// or tests.
	packages                map[string]int
	tests, generated        int
	imports, starts, phases int
	words, comments         int
	unclear                 []string
	// kinds counts the matches of each construction. A line may match several.
	kinds []int
}

// phaseRow is a row of a table of phases, or its heading.
var phaseRow = regexp.MustCompile(`(?m)^\| [a-z].*\|$`)

// measure reads the Go files and the documents among the named files.
func measure(root fs.FS, names []string) (*weight, error) {
	w := &weight{packages: map[string]int{}, kinds: make([]int, len(constructions))}
	modules := modulesOf(names)
	for _, name := range names {
		document, source := strings.HasSuffix(name, ".md") && counted(name), strings.HasSuffix(name, ".go")
		if !document && (!source || strings.Contains(name, "/testdata/") || inModule(modules, name)) {
			continue
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return nil, fmt.Errorf("count: %w", err)
		}
		if document {
			w.words += len(strings.Fields(string(text)))
			if name == "workflows/phases.md" {
				w.phases = len(phaseRow.FindAllString(string(text), -1)) - strings.Count(string(text), "\n| phase |")
			}
		} else if err := w.file(name, text); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// counted reports whether a document's words are counted: the guides for merchants,
// the runbooks and the checklists are lists that grow with what the service does.
func counted(name string) bool {
	return !strings.HasPrefix(name, "docs/merchant/") && !strings.HasPrefix(name, "deploy/runbooks/") &&
		!strings.HasPrefix(name, "docs/checklist-")
}

// modulesOf returns the folders of modules other than the repository's own.
func modulesOf(names []string) (folders []string) {
	for _, name := range names {
		if dir, file := path.Split(name); file == "go.mod" && dir != "" {
			folders = append(folders, dir)
		}
	}
	return folders
}

func inModule(folders []string, name string) bool {
	return slices.ContainsFunc(folders, func(dir string) bool { return strings.HasPrefix(name, dir) })
}

// file adds a Go file.
func (w *weight) file(name string, text []byte) error {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	lines, test := strings.Count(string(text), "\n"), strings.HasSuffix(name, "_test.go")
	w.packages[path.Dir(name)] += 0
	switch {
	case ast.IsGenerated(parsed):
		w.generated += lines
		return nil
	case test:
		w.tests += lines
	default:
		w.packages[path.Dir(name)] += lines
		w.imports += importLines(set, parsed)
		w.starts += literals(parsed, "StartWorkflowOptions", func(*ast.CompositeLit) int { return 1 })
	}
	for _, group := range parsed.Comments {
		w.comment(set, group)
	}
	return nil
}

// importLines counts the lines of import declarations.
func importLines(set *token.FileSet, parsed *ast.File) (lines int) {
	for _, decl := range parsed.Decls {
		if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.IMPORT {
			lines += set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1
		}
	}
	return lines
}

// literals returns the sum of count for all composite literals of a type, in any package.
func literals(parsed *ast.File, name string, count func(*ast.CompositeLit) int) (sum int) {
	ast.Inspect(parsed, func(n ast.Node) bool {
		if l, ok := n.(*ast.CompositeLit); ok && typeName(l.Type) == name {
			sum += count(l)
		}
		return true
	})
	return sum
}

func typeName(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.IndexListExpr:
		return typeName(x.X)
	default:
		return ""
	}
}
