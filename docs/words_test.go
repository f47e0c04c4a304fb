package docs_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOldWordsAreGone checks that no word of the glossary's last column is used anywhere else
// in the repository. Recorded texts of other projects are excepted.
func TestOldWordsAreGone(t *testing.T) {
	t.Parallel()
	glossary, err := os.ReadFile("glossary.md")
	require.NoError(t, err)
	old := oldWords(string(glossary))
	require.Greater(t, len(old), 60, "the glossary has lost its last column")
	out, err := exec.CommandContext(t.Context(), "git", "-C", "..", "ls-files", "-z").Output()
	require.NoError(t, err)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if !written(name) {
			continue
		}
		text, err := os.ReadFile("../" + name)
		if os.IsNotExist(err) { // deleted but not committed yet
			continue
		}
		require.NoError(t, err)
		for _, word := range old {
			if found := word.in(string(text)); found != "" {
				t.Errorf("%s: the glossary replaces %q: %s", name, word.text, found)
			}
		}
	}
}

// written reports whether a file's text was written in this project.
func written(name string) bool {
	for _, other := range []string{"docs/glossary.md", "docs/words_test.go",
		".golangci.yml",                                             // a linter is called revive
		"internal/secret/kind.go", "internal/secret/folder_test.go", // the names under which proofs were sealed
	} {
		if strings.HasPrefix(name, other) {
			return false
		}
	}
	if strings.Contains(name, "/testdata/") {
		return false
	}
	switch path.Ext(name) {
	case ".go", ".sql", ".md", ".yml", ".sh", ".json":
		return !strings.HasSuffix(name, "package-lock.json")
	default:
		return path.Base(name) == "Makefile"
	}
}

// oldWord is a replaced word, matched as a whole. A lower-case word also matches in capitals
// and as part of a longer name.
type oldWord struct {
	text    string
	pattern *regexp.Regexp
}

var (
	plainWord = regexp.MustCompile(`^[a-z]+$`)
	partOf    = regexp.MustCompile(`([a-z0-9])([A-Z])|_`)
)

// in returns the first line of a text that has the word; empty if there is none.
func (w oldWord) in(text string) string {
	if !strings.Contains(strings.ToLower(text), strings.ToLower(w.text)) {
		return ""
	}
	for line := range strings.SplitSeq(text, "\n") {
		names := line
		if plainWord.MatchString(w.text) {
			names = partOf.ReplaceAllString(line, "$1 $2")
		}
		if w.pattern.MatchString(names) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

var quoted = regexp.MustCompile("`([^`]+)`")

// oldWords returns the words in the last column of the glossary's tables.
func oldWords(glossary string) (list []oldWord) {
	for line := range strings.SplitSeq(glossary, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) != 5 {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[3], -1) {
			pattern := `\b` + regexp.QuoteMeta(m[1]) + `\b`
			if strings.ToLower(m[1]) == m[1] {
				pattern = "(?i)" + pattern
			}
			list = append(list, oldWord{m[1], regexp.MustCompile(pattern)})
		}
	}
	return list
}
