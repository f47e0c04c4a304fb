package docs_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	title   = regexp.MustCompile(`^# (\d+)\. (.+)$`)
	section = regexp.MustCompile(`(?m)^## (.+)$`)
)

// records returns the pages of docs/decisions, in order of their numbers.
func records(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("decisions/[0-9]*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// maxRecord is the maximum number of words of a record without its lists of files and tests:
// about three minutes of reading.
const maxRecord = 700

// TestDecisionsAreWhole checks the form of a record: its number, its sections and their order,
// its length, at least one file and one test, and a line of its own in the list.
// TestPagesNameFilesThatExist checks that the files and tests exist.
func TestDecisionsAreWhole(t *testing.T) {
	t.Parallel()
	list := read(t, "decisions/README.md")
	for i, page := range records(t) {
		text, number := read(t, page), i+1
		require.True(t, strings.HasPrefix(filepath.Base(page), fmt.Sprintf("%04d-", number)), "%s should be number %d", page, number)
		head := title.FindStringSubmatch(strings.SplitN(text, "\n", 2)[0])
		require.NotNil(t, head, "%s does not begin with # %d. and a title", page, number)
		require.Equal(t, fmt.Sprint(number), head[1], page)
		line := fmt.Sprintf("\n%d. [%s](%s): ", number, head[2], filepath.Base(page))
		if !strings.Contains(list, line) {
			t.Errorf("decisions/README.md has no line that begins with %q", line[1:])
		}
		var sections []string
		for _, found := range section.FindAllStringSubmatch(text, -1) {
			sections = append(sections, found[1])
		}
		require.Equal(t, []string{"Context", "Decision", "Consequences", "Code", "Tests"}, sections, page)
		for _, name := range sections {
			require.NotEmpty(t, partOfRecord(text, name), "%s says nothing under %s", page, name)
		}
		told, _, _ := strings.Cut(text, "\n## Code\n")
		require.LessOrEqual(t, len(strings.Fields(told)), maxRecord, "%s takes longer than three minutes: what clients see belongs to the API's documents, what operators set to docs/operations.md", page)
		require.NotEmpty(t, pathsIn(partOfRecord(text, "Code")), "%s names no file", page)
		require.NotEmpty(t, named.FindAllString(partOfRecord(text, "Tests"), -1), "%s names no test", page)
	}
	require.Equal(t, len(records(t)), strings.Count(list, "](0"), "decisions/README.md lists something else")
}

// partOfRecord returns the text under a heading.
func partOfRecord(text, heading string) string {
	_, rest, _ := strings.Cut(text, "\n## "+heading+"\n")
	part, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(part)
}
