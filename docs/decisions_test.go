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

// records are the pages of docs/decisions, by number.
func records(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("decisions/[0-9]*.md")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// maxRecord is the maximum number of words in a record: a minute's reading.
const maxRecord = 250

// TestDecisionsAreWhole checks the form of each record: its number, its three
// sections, its length, and its line in the list.
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
		require.Equal(t, []string{"Context", "Decision", "Consequences"}, sections, page)
		for _, name := range sections {
			require.NotEmpty(t, partOfRecord(text, name), "%s says nothing under %s", page, name)
		}
		require.LessOrEqual(t, len(strings.Fields(text)), maxRecord, "%s is too long: how it works belongs to docs/architecture.md, API behaviour to the API's documents, settings to docs/operations.md", page)
	}
	require.Equal(t, len(records(t)), strings.Count(list, "](0"), "decisions/README.md lists something else")
}

// partOfRecord is what stands under a heading.
func partOfRecord(text, heading string) string {
	_, rest, _ := strings.Cut(text, "\n## "+heading+"\n")
	part, _, _ := strings.Cut(rest, "\n## ")
	return strings.TrimSpace(part)
}
