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
)

// ErrUnsupported says that this machine's packages cannot be installed from
// here; the message lists what to install by hand.
var ErrUnsupported = errors.New("cannot install packages on this system")

// Install makes every program present, telling out what it does. It is
// idempotent, and quick when there is nothing to do.
func Install(ctx context.Context, root string, out io.Writer, wanted []Program) error {
	var packages []string
	for _, p := range wanted {
		if _, err := p.Find(root); err == nil {
			continue
		}
		if p.Package == "" {
			if err := p.build(ctx, root, out); err != nil {
				return err
			}
			continue
		}
		packages = append(packages, p.Package)
	}
	slices.Sort(packages)
	return installPackages(ctx, out, slices.Compact(packages))
}

func (p Program) build(ctx context.Context, root string, out io.Writer) error {
	target, err := filepath.Abs(filepath.Join(root, ".dev", "bin", p.Name))
	if err != nil {
		return fmt.Errorf("build %s: %w", p.Name, err)
	}
	fmt.Fprintf(out, "Building %s from the Go module proxy (some minutes, once) …\n", p.Name)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", target, p.Command)
	cmd.Dir = filepath.Join(root, p.Module)
	return run(cmd, out)
}

func installPackages(ctx context.Context, out io.Writer, packages []string) error {
	if len(packages) == 0 {
		return nil
	}
	apt, err := aptGet()
	if err != nil {
		return fmt.Errorf("%w: please install %s (Debian's package names)",
			err, strings.Join(packages, ", "))
	}
	fmt.Fprintf(out, "Installing %s with %s …\n", strings.Join(packages, " "), strings.Join(apt, " "))
	install := append([]string{"install", "-y", "-q", "--no-install-recommends"}, packages...)
	for _, args := range [][]string{{"update", "-q"}, install} {
		line := append(slices.Clone(apt), args...)
		if err := run(exec.CommandContext(ctx, line[0], line[1:]...), out); err != nil {
			return err
		}
	}
	return nil
}

// aptGet is the command that may install packages: directly, or through sudo.
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

func run(cmd *exec.Cmd, out io.Writer) error {
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return nil
}
