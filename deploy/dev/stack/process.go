package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a running program, known by its id and by when it started, so
// that an id which the system gave to another program is never signalled.
type process struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

// launch starts a command in a session of its own with its output appended to
// a log file. Bound processes are killed when the caller dies.
func launch(c command, log string, bound bool) (process, error) {
	out, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return process{}, fmt.Errorf("log: %w", err)
	}
	defer func() { _ = out.Close() }()
	cmd := exec.Command(c.path, c.args...) //nolint:noctx // it outlives every context of ours
	cmd.Dir, cmd.Env = c.dir, c.environ()
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = attributes(c.user, bound)
	if err := cmd.Start(); err != nil {
		return process{}, fmt.Errorf("start %s: %w", filepath.Base(c.path), err)
	}
	go func() { _ = cmd.Wait() }() // reaps it; its end shows in alive
	return process{PID: cmd.Process.Pid, Started: startTime(cmd.Process.Pid)}, nil
}

// alive tells whether the process runs still. A zombie does not, unless it has
// threads: killed ones end one after the other, and hold ports and files as
// long as one of them is left.
func (p process) alive() bool {
	return p.PID > 0 && p.Started != "" && startTime(p.PID) == p.Started
}

// signal does nothing to a process that is gone.
func (p process) signal(sig syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	if err := syscall.Kill(p.PID, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("signal %d: %w", p.PID, err)
	}
	return nil
}

// gone waits until the process has ended.
func (p process) gone(ctx context.Context) error {
	for p.alive() {
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// family is the process and its descendants.
func (p process) family() []process {
	list := []process{p}
	entries, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]process{}
	for _, path := range entries {
		if s, ok := readStat(path); ok {
			children[s.parent] = append(children[s.parent], s.process)
		}
	}
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i].PID]...)
	}
	return list
}

// signalFamily signals a process and its descendants, also those with a session of their
// own, as PostgreSQL's have. A SIGSTOP reaches those that are born meanwhile, too.
func (p process) signalFamily(sig syscall.Signal) error {
	if !p.alive() {
		return nil
	}
	var errs []error
	signalled := map[process]bool{}
	for more := true; more; {
		more = false
		for _, member := range p.family() {
			if signalled[member] {
				continue
			}
			signalled[member] = true
			more = sig == syscall.SIGSTOP // a family that goes on has new members all the time
			errs = append(errs, member.signal(sig))
		}
	}
	return errors.Join(errs...)
}

type stat struct {
	process
	parent         int
	ended, stopped bool
}

// readStat reads /proc/PID/stat: state, parent, threads and start time are the
// fields 3, 4, 20 and 22, counted after the name in parentheses.
func readStat(path string) (stat, bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		return stat{}, false
	}
	line := string(b)
	pid, _ := strconv.Atoi(strings.Fields(line)[0])
	fields := strings.Fields(line[strings.LastIndexByte(line, ')')+1:])
	parent, _ := strconv.Atoi(fields[1])
	threads, _ := strconv.Atoi(fields[17])
	return stat{
		process: process{PID: pid, Started: fields[19]},
		parent:  parent, ended: (fields[0] == "Z" || fields[0] == "X") && threads <= 1, stopped: fields[0] == "T",
	}, true
}

// startTime is an opaque mark of when a process started, empty if it ended.
func startTime(pid int) string {
	s, ok := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if ok && !s.ended {
		return s.Started
	}
	return ""
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
