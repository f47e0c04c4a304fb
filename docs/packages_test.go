package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArchitectureNamesEveryPackage compares the tables of packages with the folders that have
// Go files.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	t.Parallel()
	there := packages(t)
	var listed []string
	for _, row := range packageRows(t) {
		if !slices.Contains(there, row.name) {
			t.Errorf("docs/architecture.md has a line of %s, which is no package", row.name)
		}
		if slices.Contains(listed, row.name) {
			t.Errorf("docs/architecture.md has two lines of %s", row.name)
		}
		listed = append(listed, row.name)
	}
	for _, name := range there {
		if !slices.Contains(listed, name) {
			t.Errorf("docs/architecture.md has no line of the package %s: add one under The packages", name)
		}
	}
}

// packageRow is a row of the tables of packages: its section, the package and its description.
type packageRow struct{ section, name, is string }

func packageRows(t *testing.T) (rows []packageRow) {
	t.Helper()
	_, part, _ := strings.Cut(read(t, "architecture.md"), "\n## The packages\n")
	part, _, _ = strings.Cut(part, "\n## ")
	section := ""
	for line := range strings.Lines(part) {
		if title, is := strings.CutPrefix(line, "### "); is {
			section = strings.TrimSpace(title)
		}
		if cells := strings.Split(line, "|"); len(cells) == 4 && strings.HasPrefix(cells[1], " `") {
			rows = append(rows, packageRow{section, strings.Trim(cells[1], " `"), strings.TrimSpace(cells[2])})
		}
	}
	return rows
}

// packages returns the folders of this module with Go files, sorted by name.
func packages(t *testing.T) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has removed it meanwhile
		}
		if err == nil && d.IsDir() && slices.Contains([]string{".git", ".dev", "node_modules", "testdata"}, d.Name()) {
			return filepath.SkipDir
		}
		if _, missing := os.Stat(filepath.Join(path, "go.mod")); missing == nil && path != ".." {
			return filepath.SkipDir // a module of its own
		}
		if dir := strings.TrimPrefix(filepath.Dir(path), "../"); strings.HasSuffix(path, ".go") && !slices.Contains(found, dir) {
			found = append(found, dir)
		}
		return err
	}))
	slices.Sort(found)
	return found
}
