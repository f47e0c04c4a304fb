package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/release"
)

var section = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2}|not released)$`)

// TestChangelogAndSamplesHaveEveryVersion holds the list of changes: the newest
// version is the program's, and each released one has its database and its histories.
func TestChangelogAndSamplesHaveEveryVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	versions := section.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, versions)
	require.Equal(t, release.Version, "v"+versions[0][1])
	for _, version := range versions {
		if version[2] == "not released" {
			continue
		}
		require.FileExists(t, "../postgres/testdata/releases/v"+version[1]+".sql", "make release writes it")
		histories, err := filepath.Glob("../../workflows/testdata/v" + version[1] + "/*.json")
		require.NoError(t, err)
		require.NotEmpty(t, histories, "no history of v%s: see CONTRIBUTING.md", version[1])
	}
}
