//go:build linux

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// engine is a Docker engine of its own: nothing of it is seen by another one on
// this machine, and no image of it ends up there.
type engine struct {
	// dir holds its data, its socket and its log.
	dir    string
	daemon *exec.Cmd
}

// startEngine installs missing programs and starts the daemon, or uses one that an
// earlier run has left.
func startEngine(ctx context.Context, dir string) *engine {
	e := &engine{dir: dir}
	fixture.Do(os.MkdirAll(dir, 0o750))
	e.install(ctx)
	if e.answers(ctx) {
		return e
	}
	log := fixture.Must(os.Create(e.path("dockerd.log")))
	defer func() { _ = log.Close() }()
	// No bridge: every network is one that the compose file names.
	e.daemon = exec.Command("dockerd", "--data-root", e.path("docker"), "--exec-root", e.path("run"), //nolint:noctx // it outlives what is cancelled, to stop containers
		"--pidfile", e.path("dockerd.pid"), "--host", e.host(), "--bridge", "none")
	e.daemon.Stdout, e.daemon.Stderr = log, log
	e.daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := e.daemon.Start(); err != nil {
		fixture.Failf("dockerd: %w", err)
	}
	if err := fixture.Try(func() { until(ctx, "dockerd answers", func() bool { return e.answers(ctx) }) }); err != nil {
		fixture.Failf("%w: see %s", err, log.Name())
	}
	return e
}

func (e *engine) path(name string) string { return filepath.Join(e.dir, name) }

func (e *engine) host() string { return "unix://" + e.path("docker.sock") }

// environment is what a command needs to talk to this engine and to no other.
func (e *engine) environment() []string {
	return []string{"DOCKER_HOST=" + e.host(), "DOCKER_CONFIG=" + e.path("config"), "DOCKER_BUILDKIT=1", "BUILDX_NO_DEFAULT_ATTESTATIONS=1"}
}

func (e *engine) answers(ctx context.Context) bool {
	_, err := e.run(ctx, e.dir, "docker", "info")
	return err == nil
}

// install makes the daemon, the makers of images and Compose present.
func (e *engine) install(ctx context.Context) {
	packages := map[string]string{
		"dockerd": "docker.io", "mmdebstrap": "mmdebstrap", "patchelf": "patchelf", "bzip2": "bzip2", "iptables": "iptables",
	}
	missing := []string{"install", "-y", "-q", "--no-install-recommends"}
	for program, name := range packages {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, name)
		}
	}
	if len(missing) > 4 {
		fixture.Sayf("installing %s", strings.Join(missing[4:], " "))
		for _, args := range [][]string{{"update", "-q"}, missing} {
			fixture.Must(e.run(ctx, e.dir, "env", append([]string{"DEBIAN_FRONTEND=noninteractive", "apt-get"}, args...)...))
		}
	}
	if _, err := e.run(ctx, e.dir, "docker", "compose", "version"); err == nil {
		return
	}
	fixture.Must(e.run(ctx, e.dir, "../../deploy/test-images/plugins.sh", e.path("config/cli-plugins")))
}

// run runs a command in a folder and returns what it prints; the error has all
// of what it printed.
func (e *engine) run(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), e.environment()...)
	var out, failed bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s %s: %w\n%s%s", name, strings.Join(args, " "), err, out.String(), failed.String())
	}
	return out.String(), nil
}

// docker runs a command of the client with this daemon.
func (e *engine) docker(ctx context.Context, args ...string) (string, error) {
	out, err := e.run(ctx, e.dir, "docker", args...)
	return strings.TrimSpace(out), err
}

func (e *engine) stop() error {
	if e.daemon == nil {
		return nil
	}
	err := e.daemon.Process.Signal(syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = e.daemon.Wait()
	}()
	select {
	case <-ended:
		return err
	case <-time.After(2 * time.Minute):
		return errors.Join(err, e.daemon.Process.Kill())
	}
}
