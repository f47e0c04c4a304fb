package deploy_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEveryImageIsPinned(t *testing.T) {
	t.Parallel()
	exact := regexp.MustCompile(`^[^@]+:([^:@/]+)(@sha256:[0-9a-f]{64})?$`)
	for name, s := range project(t, chosen()...).Services {
		require.Regexp(t, exact, s.Image, name)
		require.NotEqual(t, "latest", exact.FindStringSubmatch(s.Image)[1], name)
	}
	from := regexp.MustCompile(`(?m)^FROM (\S+)`)
	files, err := filepath.Glob("image/*.Dockerfile")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		for _, base := range from.FindAllStringSubmatch(read(t, file), -1) {
			require.Regexp(t, exact, base[1], file)
			require.NotContains(t, base[1], ":latest", file)
		}
	}
}

// TestDebianPackagesAreOfADay checks that packages are those of a fixed date, in each stage
// that installs any.
func TestDebianPackagesAreOfADay(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("image/*.Dockerfile")
	require.NoError(t, err)
	days := map[string]bool{}
	for _, file := range files {
		for stage := range strings.SplitSeq(read(t, file), "\nFROM ") {
			if !strings.Contains(stage, "apt-get update") {
				continue
			}
			day := regexp.MustCompile(`ARG DEBIAN_SNAPSHOT=([0-9]{8}T000000Z)\nCOPY --chmod=0755 debian/sources.sh`).FindStringSubmatch(stage)
			require.NotNil(t, day, file)
			days[day[1]] = true
			require.Contains(t, stage, "RUN sources.sh \\\n    && apt-get update", file)
		}
	}
	require.Len(t, days, 1)

	dir := t.TempDir()
	for path, text := range map[string]string{
		"etc/os-release": "VERSION_CODENAME=trixie\n", "etc/apt/sources.list.d/debian.sources": "Types: deb\n", "etc/apt/sources.list": "deb http://elsewhere\n",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	run(t, "image/debian/sources.sh", []string{"ROOT=" + dir, "DEBIAN_SNAPSHOT=20261115T000000Z"})
	require.NoDirExists(t, filepath.Join(dir, "etc/apt/sources.list.d"))
	list := content(t, dir, "etc/apt/sources.list")
	require.Equal(t, 2, strings.Count(list, "\n"))
	for line := range strings.SplitSeq(list, "\n") {
		require.Regexp(t, `^deb \[check-valid-until=no\] http://snapshot\.debian\.org/archive/debian(-security)?/20261115T000000Z trixie(-updates|-security)? main$`, line)
	}
	require.Error(t, script(t.Context(), "image/debian/sources.sh", []string{"ROOT=" + dir, "DEBIAN_SNAPSHOT=now"}).Run())
}
