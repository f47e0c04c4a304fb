// Command measure runs a command and records its cost: seconds, and processor seconds of all
// its descendants. These include servers that outlive the command for a moment, such as the
// PostgreSQL of a test.
//
//	measure FILE NAME COMMAND…   runs a command and adds a line to FILE
//	measure FILE . COMMAND…      the same for `go test -exec`: the name is the package's folder
//	measure -table FILE          prints the steps, and the ten slowest packages
//
// Its exit code is the command's.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"
)

// byFolder names a command after its working directory: go test runs the tests of a
// package in the package's folder.
const byFolder = "."

// linger is how long descendants may outlive the command and still be counted.
const linger = 10 * time.Second

var errUsage = errors.New("usage: measure FILE NAME COMMAND… | measure -table FILE")

// cost is a line of the file.
type cost struct {
	Name      string  `json:"name"`
	Package   bool    `json:"package"`
	Seconds   float64 `json:"seconds"`
	Processor float64 `json:"processor"`
}

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		code = 1
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	switch {
	case len(args) == 2 && args[0] == "-table":
		return 0, printTable(os.Stdout, args[1])
	case len(args) > 2:
		return measure(args[0], args[1], args[2:])
	default:
		return 1, errUsage
	}
}

// measure runs a command with this process's input and output.
func measure(file, name string, args []string) (code int, err error) {
	// Descendants whose parents have ended become children of this process.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1, fmt.Errorf("become a subreaper: %w", err)
	}
	begun := time.Now()
	cmd := exec.Command(args[0], args[1:]...) //nolint:noctx,gosec // the caller says what runs; it ends by itself or by a signal
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return 1, fmt.Errorf("start: %w", err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM)
	go func() {
		for s := range signals {
			if s != syscall.SIGINT { // a terminal sends it to the command as well
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	if err := cmd.Wait(); err != nil {
		code = max(cmd.ProcessState.ExitCode(), 1) // a signal has no exit code
	}
	took := time.Since(begun)
	if err := reap(); err != nil {
		return 1, err
	}
	used, err := processor()
	if err != nil {
		return 1, err
	}
	c := cost{Name: name, Seconds: took.Seconds(), Processor: used.Seconds()}
	if name == byFolder {
		c.Package = true
		c.Name, err = folder(filepath.Dir(file))
	}
	return code, errors.Join(err, record(file, c))
}

// reap waits for descendants that outlive the command.
func reap() error {
	for deadline := time.Now().Add(linger); time.Now().Before(deadline); {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.ECHILD):
			return nil
		case err != nil && !errors.Is(err, unix.EINTR):
			return fmt.Errorf("wait for descendants: %w", err)
		case pid == 0:
			time.Sleep(10 * time.Millisecond)
		}
	}
	return nil
}

// processor returns the processor time of all descendants that were waited for.
func processor() (time.Duration, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &usage); err != nil {
		return 0, fmt.Errorf("processor time: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// folder returns the working directory relative to the repository, which contains the file's
// folder.
func folder(dev string) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	return filepath.Rel(filepath.Dir(dev), here)
}

// record adds a line. A short line that is appended is written in one piece, even with
// concurrent writers.
func record(file string, c cost) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) //nolint:gosec // the caller's own file
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// slowest is the number of packages in the table.
const slowest = 10

// printTable prints steps in the order in which they ended, and the slowest packages.
func printTable(out io.Writer, file string) error {
	steps, packages, err := read(file)
	if err != nil {
		return err
	}
	slices.SortStableFunc(packages, func(a, b cost) int { return cmp.Compare(b.Seconds, a.Seconds) })
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, part := range []struct {
		title string
		costs []cost
	}{{"step", steps}, {"package", packages[:min(slowest, len(packages))]}} {
		_, _ = fmt.Fprintf(w, "seconds\tprocessor\t  %s\n", part.title)
		for _, c := range part.costs {
			_, _ = fmt.Fprintf(w, "%.1f\t%.1f\t  %s\n", c.Seconds, c.Processor, c.Name)
		}
	}
	return w.Flush()
}

func read(file string) (steps, packages []cost, err error) {
	text, err := os.ReadFile(file) //nolint:gosec // the caller's own file
	for line := range bytes.Lines(text) {
		var c cost
		if err := json.Unmarshal(line, &c); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", file, err)
		}
		if c.Package {
			packages = append(packages, c)
		} else {
			steps = append(steps, c)
		}
	}
	return steps, packages, err
}
