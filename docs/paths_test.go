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

// inRepository is a name in backticks that may be a path: folders and files,
// with slashes between them.
var inRepository = regexp.MustCompile("`([A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)/?`")

// TestPagesNameFilesThatExist holds the pages that lead into the code: every
// file, folder and test that one names is there.
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
	// tables are names in backquotes after the word table.
	tables  = regexp.MustCompile("\\b[Tt]ables? `[a-z_]+`(?:(?:, | and )`[a-z_]+`)*")
	created = regexp.MustCompile(`(?m)^CREATE TABLE ([a-z_]+)`)
)

// TestDocumentsNameTablesThatExist compares tables that a document names with the
// migrations, the glossary's among them.
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

// pathsIn are the paths that a line names. What does not begin with a folder of
// the repository is something else: a media type, a route, a module.
func pathsIn(line string) (paths []string) {
	for _, found := range inRepository.FindAllStringSubmatch(line, -1) {
		first, _, _ := strings.Cut(found[1], "/")
		if info, err := os.Stat(filepath.Join("..", first)); err == nil && info.IsDir() {
			paths = append(paths, found[1])
		}
	}
	return paths
}

// namesakes says which files are called as a path's last part.
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
