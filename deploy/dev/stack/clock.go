package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A clock that a file moves is that of a program of its own: the same sources, compiled
// with another time.Now.

// ClockFile is the variable that names the file.
const ClockFile = "CLOCK_FILE"

// Overlay writes into a folder a package time whose Now asks the file, and returns the
// list of files for the compiler's option -overlay. root is the repository.
func Overlay(ctx context.Context, root, folder string) (string, error) {
	home, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("clock: %w", err)
	}
	own := filepath.Join(strings.TrimSpace(string(home)), "src", "time")
	before, err := os.ReadFile(filepath.Join(own, "time.go"))
	if err != nil {
		return "", fmt.Errorf("clock: %w", err)
	}
	const now = "\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(before), now) != 1 {
		return "", errors.New("clock: this release of Go asks for the time in another way")
	}
	after, list := filepath.Join(folder, "time.go"), filepath.Join(folder, "overlay.json")
	replaced, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(own, "time.go"):  after,
		filepath.Join(own, "moved.go"): filepath.Join(root, "deploy", "test-images", "clock", "moved.go.in"),
	}})
	return list, errors.Join(
		err, os.MkdirAll(folder, 0o750),
		os.WriteFile(after, []byte(strings.Replace(string(before), now, now+"\tsec += movedBy.Load()\n", 1)), 0o600), //nolint:gosec // the caller names the folder itself
		os.WriteFile(list, replaced, 0o600),
	)
}

// SetClock writes the file of a clock. It is replaced whole, so that no reader sees half
// of it.
func SetClock(file string, by time.Duration) error {
	return errors.Join(
		os.MkdirAll(filepath.Dir(file), 0o755),                                         //nolint:gosec // containers' users read it
		os.WriteFile(file+".new", fmt.Appendf(nil, "%+d\n", int(by.Seconds())), 0o644), //nolint:gosec // containers' users read it
		os.Rename(file+".new", file),
	)
}

// MoveClock moves the clock of a service of a stack with Options.Clocks; 0 puts it right.
// The service has the new time within a second.
func (s *Stack) MoveClock(service string, by time.Duration) error {
	return SetClock(s.clockFile(service), by)
}

func (s *Stack) clockFile(service string) string { return s.path("clock", service) }
