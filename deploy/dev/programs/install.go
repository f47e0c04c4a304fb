package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrUnsupported is returned if packages cannot be installed on this machine. The message
// lists the packages to install by hand.
var ErrUnsupported = errors.New("cannot install packages on this system")

// Install installs all missing programs and prints its progress to out. It is idempotent, and
// quick and silent when nothing is missing.
func Install(ctx context.Context, root string, out io.Writer, needed []Program) error {
	progress, stop := NewProgress(out, Interval)
	defer stop()
	return Together(
		func() error { return InstallPackages(ctx, progress, root, needed) },
		func() error { return Build(ctx, progress, root, needed) })
}

// Together runs functions concurrently and waits for all of them.
func Together(functions ...func() error) error {
	failures := make([]error, len(functions))
	var group sync.WaitGroup
	for i, function := range functions {
		group.Go(func() { failures[i] = function() })
	}
	group.Wait()
	return errors.Join(failures...)
}

// Build builds the missing programs that come from the Go module proxy. It builds one after
// the other, because each build uses all processors.
func Build(ctx context.Context, progress *Progress, root string, needed []Program) error {
	for _, p := range missing(root, needed, false) {
		target, err := filepath.Abs(filepath.Join(root, ".dev", "bin", p.Name))
		if err != nil {
			return fmt.Errorf("build %s: %w", p.Name, err)
		}
		// Without debug information the program is linked in half the time.
		flags := []string{"-ldflags=-s -w", "-o", target}
		if err := Compile(ctx, progress, "building "+p.Name, filepath.Join(root, p.Module), flags, p.Command); err != nil {
			return err
		}
	}
	return nil
}

// missing returns the programs that are not on this machine yet: those of packages, or those
// that are built.
func missing(root string, needed []Program, packaged bool) (list []Program) {
	for _, p := range needed {
		if _, err := p.Find(root); err != nil && (p.Package != "") == packaged {
			list = append(list, p)
		}
	}
	return list
}

// Fetch downloads the modules of the missing programs, so that the network is used while other
// programs are compiled.
func Fetch(ctx context.Context, progress *Progress, root string, needed []Program) error {
	for _, p := range missing(root, needed, false) {
		err := progress.Do("fetching modules of "+p.Name, "from the Go module proxy, once", func(t *Task) error {
			_, err := fetch(ctx, t, filepath.Join(root, p.Module), []string{p.Command})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Compile runs `go build` in the directory of a module and reports how many packages are done.
func Compile(ctx context.Context, progress *Progress, name, dir string, flags []string, packages ...string) error {
	return progress.Do(name, "from source; once some minutes, then seconds", func(t *Task) error {
		all, err := fetch(ctx, t, dir, packages)
		if err != nil {
			return err
		}
		compiled := 0
		return t.Run(ctx, dir, func(line string) {
			if !strings.HasPrefix(line, "go: ") {
				compiled++
				t.Sayf("(%d of at most %d packages compiled)", compiled, all)
			}
		}, slices.Concat([]string{"go", "build", "-v"}, flags, packages)...)
	})
}

// fetch downloads the modules that packages need, and counts the packages with all their
// imports.
func fetch(ctx context.Context, t *Task, dir string, packages []string) (all int, err error) {
	fetched := 0
	err = t.Run(ctx, dir, func(line string) {
		if strings.HasPrefix(line, "go: ") {
			fetched++
			t.Sayf("(%d modules fetched)", fetched)
			return
		}
		all++
	}, append([]string{"go", "list", "-deps"}, packages...)...)
	return all, err
}

// InstallPackages installs the packages of the programs that are missing.
func InstallPackages(ctx context.Context, progress *Progress, root string, needed []Program) error {
	var packages []string
	for _, p := range missing(root, needed, true) {
		packages = append(packages, p.Package)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	if len(packages) == 0 {
		return nil
	}
	apt, err := aptGet()
	if err != nil {
		return fmt.Errorf("%w: please install %s (Debian's package names)",
			err, strings.Join(packages, ", "))
	}
	note := strings.Join(packages, " ") + " with " + strings.Join(apt, " ")
	return progress.Do("installing packages", note, func(t *Task) error {
		install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, packages...)
		for _, args := range [][]string{{"update", "-q"}, install} {
			lines := 0
			if err := t.Run(ctx, root, func(string) {
				lines++
				t.Sayf("(%s, %d lines)", args[0], lines)
			}, append(slices.Clone(apt), args...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// aptGet returns the command that may install packages: directly, or through sudo.
func aptGet() ([]string, error) {
	path, err := exec.LookPath("apt-get")
	if err != nil {
		return nil, ErrUnsupported
	}
	command := []string{"env", "DEBIAN_FRONTEND=noninteractive", path}
	if os.Geteuid() == 0 {
		return command, nil
	}
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		return nil, fmt.Errorf("%w (neither root nor sudo)", ErrUnsupported)
	}
	return append([]string{sudo}, command...), nil
}
