//go:build linux

package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/e2e/fixture"
)

// temporalImage is what the stand-in of one of Temporal's images is made of: a
// target of temporal.Dockerfile, programs that are built as Temporal's images
// have them, without C, and files of the first one's module.
type temporalImage struct {
	target   string
	programs []programs.Program
	module   string
	files    []string
}

// temporalImages are all three. The UI is the release that tools/temporal-ui
// pins: the checksum database does not know the one that the compose file names.
func temporalImages() map[string]temporalImage {
	return map[string]temporalImage{
		"temporalio/server": {
			"server", []programs.Program{programs.TemporalServer},
			"go.temporal.io/server", []string{"docker/scripts/sh/entrypoint.sh"},
		},
		"temporalio/admin-tools": {"admin-tools", []programs.Program{programs.TemporalSQLTool}, "", nil},
		"temporalio/ui": {
			"ui", []programs.Program{programs.TemporalUI},
			"github.com/temporalio/ui-server/v2", []string{"docker/start-ui-server.sh", "config/docker.yaml"},
		},
	}
}

// temporal puts into a folder what an image has, and makes the image.
func (s *standIns) temporal(ctx context.Context, image standIn) {
	made := temporalImages()[image.name]
	folder := s.engine.path("temporal/" + made.target)
	fixture.Do(os.MkdirAll(folder, 0o750))
	for _, p := range made.programs {
		s.withoutC(ctx, p, folder)
	}
	if made.target == "admin-tools" {
		s.command(ctx, folder)
	}
	for _, name := range made.files {
		at := s.moduleFolder(ctx, made.programs[0].Module, made.module)
		s.copy(ctx, filepath.Join(at, name), folder)
	}
	s.build(ctx, image, folder, "temporal.Dockerfile", "--target", made.target)
}

// withoutC builds a program of another module, once. With C it would ask the
// image for the name of its user, and stop.
func (s *standIns) withoutC(ctx context.Context, p programs.Program, folder string) {
	program := filepath.Join(folder, p.Name)
	if _, err := os.Stat(program); err == nil {
		return
	}
	fixture.Must(s.engine.run(ctx, s.root, "env", "CGO_ENABLED=0", "go", "build", "-C", p.Module, "-trimpath", "-ldflags=-s", "-o", program, p.Command))
}

// command is Temporal's, which the development stack has too.
func (s *standIns) command(ctx context.Context, folder string) {
	p := programs.Temporal
	fixture.Do(programs.Install(ctx, s.root, os.Stdout, []programs.Program{p}))
	found := fixture.Must(p.Find(s.root))
	s.copy(ctx, found, folder)
}

func (s *standIns) copy(ctx context.Context, from, folder string) {
	fixture.Must(s.engine.run(ctx, s.root, "cp", "-L", "--no-preserve=mode", from, folder))
}

// moduleFolder is where the files of a module are, in the version that a module
// of tools pins.
func (s *standIns) moduleFolder(ctx context.Context, pinnedBy, module string) string {
	out := fixture.Must(s.engine.run(ctx, filepath.Join(s.root, pinnedBy), "go", "mod", "download", "-json", module))
	var downloaded struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		fixture.Failf("go mod download: %w", err)
	}
	return downloaded.Dir
}
