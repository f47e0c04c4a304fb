package deploy_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
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

// registry is a command crane for which every image but a missing one has a manifest: its own
// name. With LIES it says another digest.
const registry = `#!/bin/sh
case $2 in *gone) echo "404 Not Found" >&2; exit 1 ;; esac
case $1 in
manifest) printf '{"of": "%s"}' "$2" ;;
digest) echo "sha256:$(printf '{"of": "%s"}%s' "$2" "${LIES:-}" | sha256sum | cut -d' ' -f1)" ;;
esac
`

// pinned returns a copy of some files of the repository, and a function that runs pin.sh there
// with its own crane, on the 20th of November.
func pinned(t *testing.T, dockerfile string) (dir string, pin func(env []string, args ...string) (string, error)) {
	t.Helper()
	dir = t.TempDir()
	for path, text := range map[string]string{
		"bin/crane": registry, "bin/date": "#!/bin/sh\necho 20261120\n",
		"deploy/image/edge.Dockerfile": dockerfile, "docker-compose.yml": compose,
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o700))
	}
	return dir, func(env []string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "image/pin.sh", append(args, dir)...)
		cmd.Env = append([]string{"PATH=" + filepath.Join(dir, "bin") + ":" + os.Getenv("PATH")}, env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
}

const compose = `services:
  postgres:
    image: postgres:17.6-bookworm
  older:
    image: postgres:17.6
  ui:
    image: temporalio/ui:2.49.1
  ours:
    image: durapay:${DURAPAY_TAG:-local}
  wallet:
    image: durapay-monero:0.18.5.3
`

const dockerfile = "FROM golang:1.26.8-bookworm AS build\nARG DEBIAN_SNAPSHOT=20200101T000000Z\nFROM gcr.io/distroless/static-debian12:nonroot\n"

func TestDigestsAreWrittenAndRenewed(t *testing.T) {
	t.Parallel()
	digest := func(image string) string {
		return fmt.Sprintf("%s@sha256:%x", image, sha256.Sum256(fmt.Appendf(nil, `{"of": "%s"}`, image)))
	}
	dir, pin := pinned(t, dockerfile)
	out, err := pin(nil, "-check")
	require.Error(t, err)
	require.Contains(t, out, "docker-compose.yml: postgres:17.6-bookworm has no digest")
	require.Contains(t, out, "gcr.io/distroless/static-debian12:nonroot has no digest")
	require.NotContains(t, out, "durapay")
	for range 2 { // the second run renews existing digests
		out, err = pin(nil)
		require.NoError(t, err, out)
		out, err = pin(nil, "-check")
		require.NoError(t, err, out)
		composed, image := read(t, filepath.Join(dir, "docker-compose.yml")), read(t, filepath.Join(dir, "deploy/image/edge.Dockerfile"))
		for _, line := range []string{
			"image: " + digest("postgres:17.6-bookworm"), "image: " + digest("postgres:17.6"), "image: " + digest("temporalio/ui:2.49.1"),
			"image: durapay:${DURAPAY_TAG:-local}", "image: durapay-monero:0.18.5.3",
		} {
			require.Contains(t, composed, line+"\n")
		}
		require.Equal(t, "FROM "+digest("golang:1.26.8-bookworm")+" AS build\nARG DEBIAN_SNAPSHOT=20261120T000000Z\n"+
			"FROM "+digest("gcr.io/distroless/static-debian12:nonroot")+"\n", image)
	}
}

func TestNothingIsWrittenWhenARegistryFails(t *testing.T) {
	t.Parallel()
	dir, pin := pinned(t, strings.Replace(dockerfile, "nonroot", "gone", 1))
	out, err := pin(nil)
	require.Error(t, err)
	require.Contains(t, out, "404")
	require.Equal(t, compose, read(t, filepath.Join(dir, "docker-compose.yml")))
	dir, pin = pinned(t, dockerfile)
	out, err = pin([]string{"LIES=1"})
	require.Error(t, err)
	require.Contains(t, out, "says digest")
	require.Equal(t, compose, read(t, filepath.Join(dir, "docker-compose.yml")))
}

// TestImagesOfTheRepositoryAreFound checks that the script finds the images in the repository's
// own files.
func TestImagesOfTheRepositoryAreFound(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("image/*.Dockerfile")
	require.NoError(t, err)
	for _, file := range append(files, "../docker-compose.yml") {
		text := regexp.MustCompile(`@sha256:[0-9a-f]+`).ReplaceAllString(read(t, file), "")
		dir, pin := pinned(t, "")
		path := filepath.Join(dir, "docker-compose.yml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		out, err := pin(nil, "-check")
		require.Error(t, err)
		images := strings.Count("\n"+text, "\nFROM ")
		if images == 0 {
			images = 6
		}
		require.Equal(t, images, strings.Count(out, "has no digest"), "%s: %s", file, out)
	}
}
