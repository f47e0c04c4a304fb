//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// temporalImage is what the stand-in of one of Temporal's images is made of: a
// target of temporal.Dockerfile, the programs of development, and files of the
// first one's module that the image has.
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
			"server", []programs.Program{programs.TemporalServer()},
			"go.temporal.io/server", []string{"docker/scripts/sh/entrypoint.sh"},
		},
		"temporalio/admin-tools": {"admin-tools", []programs.Program{programs.TemporalSQLTool(), programs.Temporal()}, "", nil},
		"temporalio/ui": {
			"ui", []programs.Program{programs.TemporalUI()},
			"github.com/temporalio/ui-server/v2", []string{"docker/start-ui-server.sh", "config/docker.yaml"},
		},
	}
}

// temporal builds what is missing of an image's programs, and the image.
func (s *standIns) temporal(ctx context.Context, image standIn) error {
	made := temporalImages()[image.name]
	if err := programs.Install(ctx, s.root, os.Stdout, made.programs); err != nil {
		return err
	}
	folder := s.engine.path("temporal/" + made.target)
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	sources := make([]string, 0, len(made.programs)+len(made.files))
	for _, p := range made.programs {
		found, err := p.Find(s.root)
		if err != nil {
			return err
		}
		sources = append(sources, found)
	}
	if made.module != "" {
		at, err := s.moduleFolder(ctx, made.programs[0].Module, made.module)
		if err != nil {
			return err
		}
		for _, name := range made.files {
			sources = append(sources, filepath.Join(at, name))
		}
	}
	if _, err := s.engine.run(ctx, s.root, "cp", append(append([]string{"-L", "--no-preserve=mode"}, sources...), folder)...); err != nil {
		return err
	}
	return s.build(ctx, image, folder, "temporal.Dockerfile", "--target", made.target)
}

// moduleFolder is where the files of a module are, in the version that a module
// of tools pins.
func (s *standIns) moduleFolder(ctx context.Context, pinnedBy, module string) (string, error) {
	out, err := s.engine.run(ctx, filepath.Join(s.root, pinnedBy), "go", "mod", "download", "-json", module)
	if err != nil {
		return "", err
	}
	var downloaded struct {
		Dir string `json:"Dir"`
	}
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return downloaded.Dir, nil
}
