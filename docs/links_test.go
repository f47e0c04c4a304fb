package docs_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s#]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	mark    = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksLeadSomewhere checks every link to a file of the repository in every document,
// including the heading that it names.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	followed := 0
	for _, file := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(read(t, file), -1) {
			path, anchor := found[1], found[2]
			if strings.Contains(path, ":") {
				continue
			}
			target := file
			if path != "" {
				target = filepath.Join(filepath.Dir(file), path)
			}
			_, err := os.Stat(target)
			require.NoError(t, err, "%s: %s", file, found[0])
			if anchor != "" {
				require.Contains(t, anchors(read(t, target)), anchor, "%s: %s", file, found[0])
			}
			followed++
		}
	}
	require.Greater(t, followed, 50)
}

// TestEveryDocumentCanBeFound follows the links from the README.
func TestEveryDocumentCanBeFound(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for next := []string{filepath.Join("..", "README.md")}; len(next) > 0; next = next[1:] {
		file := next[0]
		if seen[file] || !strings.HasSuffix(file, ".md") {
			continue
		}
		seen[file] = true
		for _, found := range link.FindAllStringSubmatch(read(t, file), -1) {
			if found[1] != "" && !strings.Contains(found[1], ":") {
				next = append(next, filepath.Join(filepath.Dir(file), found[1]))
			}
		}
	}
	for _, file := range documents(t) {
		require.True(t, seen[file], "nothing leads from README.md to %s", file)
	}
}

// documents returns the repository's own documents, without those of tools.
func documents(t *testing.T) []string {
	t.Helper()
	foreign := []string{".git", ".dev", "node_modules", "assets", "reference"}
	var files []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // another process has removed it meanwhile
		}
		if err == nil && d.IsDir() && slices.Contains(foreign, d.Name()) {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			files = append(files, path)
		}
		return err
	}))
	return files
}

// anchors returns the link names of a document's headings.
func anchors(text string) []string {
	var names []string
	for _, h := range heading.FindAllStringSubmatch(text, -1) {
		names = append(names, strings.ReplaceAll(mark.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
	}
	return names
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
