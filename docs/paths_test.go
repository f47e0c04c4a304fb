package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inRepository matches a name in backticks that may be a path: folders and files, separated by
// slashes.
var inRepository = regexp.MustCompile("`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)/?`")

// TestPagesNameFilesThatExist checks the pages that describe the code: every file, folder and
// test that they name must exist.
func TestPagesNameFilesThatExist(t *testing.T) {
	t.Parallel()
	pages := append(records(t), "architecture.md", "change-it.md", "follow-one-charge.md", "../CONTRIBUTING.md")
	paths, tests, known := 0, 0, testIndex{}
	for _, page := range pages {
		for number, line := range lines(t, page) {
			where := fmt.Sprintf("docs/%s:%d", page, number+1)
			for _, path := range pathsIn(line) {
				if _, err := os.Stat(filepath.Join("..", path)); err != nil {
					t.Errorf("%s names %s, which does not exist; %s", where, path, namesakes(t, path))
				}
				paths++
			}
			tests += known.check(t, where, line)
		}
	}
	require.Greater(t, paths, 150)
	require.Greater(t, tests, 40)
}

var (
	// tables matches names in backquotes after the word table.
	tables  = regexp.MustCompile("\\b[Tt]ables? `[a-z_]+`(?:(?:, | and )`[a-z_]+`)*")
	created = regexp.MustCompile(`(?m)^CREATE TABLE ([a-z_]+)`)
)

// TestDocumentsNameTablesThatExist compares the tables that documents name, including the
// glossary, with the migrations.
func TestDocumentsNameTablesThatExist(t *testing.T) {
	t.Parallel()
	migrations, err := filepath.Glob("../internal/postgres/migrations/*.sql")
	require.NoError(t, err)
	var schema []string
	for _, migration := range migrations {
		for _, table := range created.FindAllStringSubmatch(read(t, migration), -1) {
			schema = append(schema, table[1])
		}
	}
	named := 0
	for _, document := range documents(t) {
		for _, list := range tables.FindAllString(read(t, document), -1) {
			for _, name := range code.FindAllStringSubmatch(list, -1) {
				if !slices.Contains(schema, name[1]) {
					t.Errorf("%s names the table %s, which no migration creates", document, name[1])
				}
				named++
			}
		}
	}
	require.Greater(t, named, 6, "the documents have lost their tables")
}

// pathsIn returns the paths in a line. A name that does not begin with a folder of the
// repository is not a path but a media type, a route or a module.
func pathsIn(line string) (paths []string) {
	for _, found := range inRepository.FindAllStringSubmatch(line, -1) {
		first, _, _ := strings.Cut(found[1], "/")
		if info, err := os.Stat(filepath.Join("..", first)); err == nil && info.IsDir() {
			paths = append(paths, found[1])
		}
	}
	return paths
}

// namesakes reports which files have the same name as a path's last part.
func namesakes(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "*/"+filepath.Base(path)).Output()
	require.NoError(t, err)
	if len(out) == 0 {
		return "and nothing is called so any more"
	}
	return "it may be: " + strings.Join(strings.Fields(string(out)), ", ")
}

func lines(t *testing.T, page string) []string {
	t.Helper()
	return strings.Split(read(t, page), "\n")
}
