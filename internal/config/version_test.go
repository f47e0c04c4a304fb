package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/durapay/durapay/internal/config"
)

var section = regexp.MustCompile(`(?m)^## \[(.+?)\]`)

// TestChangelogAndSamplesHaveEveryVersion checks the list of changes: the top section is
// of the program's version or of changes that are not released, and each released version
// has its database and its histories.
func TestChangelogAndSamplesHaveEveryVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	sections := section.FindAllStringSubmatch(string(text), -1)
	require.NotEmpty(t, sections)
	if sections[0][1] == "Unreleased" {
		sections = sections[1:]
	} else {
		require.Equal(t, config.Version, "v"+sections[0][1])
	}
	for _, version := range sections {
		require.FileExists(t, "../postgres/testdata/releases/v"+version[1]+".sql", "make release writes it")
		histories, err := filepath.Glob("../../workflows/testdata/v" + version[1] + "/*.json")
		require.NoError(t, err)
		require.NotEmpty(t, histories, "no history of v%s: see CONTRIBUTING.md", version[1])
	}
}
