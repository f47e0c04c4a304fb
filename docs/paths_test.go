package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
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
	named, tests := 0, 0
	for _, page := range pages {
		for number, line := range lines(t, page) {
			for _, path := range pathsIn(line) {
				_, err := os.Stat(filepath.Join("..", path))
				require.NoError(t, err, "docs/%s:%d names %s, which does not exist: say where it is now", page, number+1, path)
				named++
			}
			tests += checkTests(t, page, number+1, line)
		}
	}
	require.Greater(t, named, 150)
	require.Greater(t, tests, 250)
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

// checkTests is how many tests a line names; all of them exist.
func checkTests(t *testing.T, page string, number int, line string) (checked int) {
	t.Helper()
	for _, found := range named.FindAllStringSubmatch(line, -1) {
		steps, ok := testsOf(t, found[1])[found[2]]
		require.True(t, ok, "docs/%s:%d: %s has no test %s", page, number, found[1], found[2])
		if found[3] != "" {
			require.True(t, steps[found[3]], "docs/%s:%d: %s %s has no step %q", page, number, found[1], found[2], found[3])
		}
		checked++
	}
	return checked
}

func lines(t *testing.T, page string) []string {
	t.Helper()
	return strings.Split(read(t, page), "\n")
}
