//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/durapay/durapay/e2e/fixture"
)

// standIns makes an image for each one that the files of an installation name
// and that is not built of this repository, under the same name and tag.
type standIns struct {
	engine *engine
	// root is the repository.
	root   string
	images []standIn
}

type standIn struct{ name, tag string }

func (i standIn) String() string { return i.name + ":" + i.tag }

// foreign finds third-party images in the compose file and the Dockerfiles.
var foreign = regexp.MustCompile(`(?m)^(?:FROM|\s+image:) ([a-z0-9][a-z0-9./_-]*):([A-Za-z0-9_][A-Za-z0-9._-]*)(@sha256:[0-9a-f]{64})`)

// deploymentFiles are those that name images.
func deploymentFiles(root string) []string {
	files := fixture.Must(filepath.Glob(filepath.Join(root, "deploy", "image", "*.Dockerfile")))
	return append(files, filepath.Join(root, "docker-compose.yml"))
}

func imagesNamed(root string) []standIn {
	var images []standIn
	for _, file := range deploymentFiles(root) {
		for _, found := range foreign.FindAllStringSubmatch(string(fixture.Must(os.ReadFile(file))), -1) {
			if image := (standIn{found[1], found[2]}); !slices.Contains(images, image) {
				images = append(images, image)
			}
		}
	}
	// Debian's images come first, because other images begin with them.
	slices.SortFunc(images, func(a, b standIn) int {
		if debian := map[bool]int{true: -1}; (a.name == "debian") != (b.name == "debian") {
			return debian[a.name == "debian"]*2 + 1
		}
		return strings.Compare(a.String(), b.String())
	})
	return images
}

// make makes them all. One of which nothing is known here is an error: the
// installation would ask the internet for it.
func (s *standIns) make(ctx context.Context) {
	s.images = imagesNamed(s.root)
	s.monero(ctx)
	for _, image := range s.images {
		made := map[string]func(context.Context, standIn){
			"debian":                 s.debian,
			"golang":                 s.golang,
			"postgres":               s.dockerfile("postgres.Dockerfile", "postgres"),
			"temporalio/server":      s.temporal,
			"temporalio/admin-tools": s.temporal,
			"temporalio/ui":          s.temporal,

			"gcr.io/distroless/static-debian12": s.dockerfile("distroless.Dockerfile", "postgres"),
		}[image.name]
		fixture.Requiref(made != nil, "deploy/test-images has no stand-in of %s", image)
		made(ctx, image)
		fixture.Sayf("%s", image)
	}
}

func (s *standIns) script(name string) string {
	return filepath.Join(s.root, "deploy", "test-images", name)
}

// moneroFolder holds what monero.sh makes.
func (s *standIns) moneroFolder() string { return s.engine.path("monero") }

// monero makes the release once.
func (s *standIns) monero(ctx context.Context) {
	if _, err := os.Stat(moneroArchive(s.moneroFolder())); err == nil {
		return
	}
	fixture.Must(s.engine.run(ctx, s.root, s.script("monero.sh"), moneroVersion, s.moneroFolder()))
}

// moneroVersion is that of deploy/image/monero.Dockerfile.
const moneroVersion = "0.18.5.3"

func moneroArchive(folder string) string {
	return filepath.Join(folder, "release", "monero-linux-x64-v"+moneroVersion+".tar.bz2")
}

// debian makes a base image only once, because its packages would change each day.
func (s *standIns) debian(ctx context.Context, image standIn) {
	if _, err := s.engine.docker(ctx, "image", "inspect", image.String()); err == nil {
		return
	}
	suite, _, _ := strings.Cut(image.tag, "-")
	fixture.Must(s.engine.run(ctx, s.root, s.script("base.sh"), suite, image.String(), filepath.Join(s.moneroFolder(), "over")))
}

func (s *standIns) golang(ctx context.Context, image standIn) {
	s.build(ctx, image, runtime.GOROOT(), "golang.Dockerfile") //nolint:staticcheck // the Go that runs this is the one that builds it
}

// dockerfile builds in a folder of the scripts.
func (s *standIns) dockerfile(file, folder string) func(context.Context, standIn) {
	return func(ctx context.Context, image standIn) { s.build(ctx, image, s.script(folder), file) }
}

// build reaches packages through this machine's network, and nothing else.
func (s *standIns) build(ctx context.Context, image standIn, folder, file string, more ...string) {
	args := append([]string{"build", "--network", "host", "--tag", image.String(), "--file", s.script(file)}, more...)
	fixture.Must(s.engine.docker(ctx, append(args, folder)...))
}
