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

// process is a running program, identified by its id and its start time, so that an id that
// the system has given to another program is never signalled.
type process struct {
	PID     int    `json:"pid"`
	Started string `json:"started"`
}

// launch starts a command in a session of its own and appends its output to a log file. Bound
// processes are killed when the caller dies.
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

// alive reports whether the process is still running. A zombie counts as ended, unless it has
// threads: the threads of a killed process end one after the other, and the last one still
// holds ports and files.
func (p process) alive() bool {
	return p.PID > 0 && p.Started != "" && startTime(p.PID) == p.Started
}

// signal does nothing if the process has ended.
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

// signalFamily signals a process and its descendants, including those with a session of their
// own, like PostgreSQL's. A SIGSTOP also reaches processes that start meanwhile.
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
			more = sig == syscall.SIGSTOP // a running family starts new members all the time
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

// readStat reads /proc/PID/stat: state, parent, threads and start time are the fields 3, 4, 20
// and 22, counted after the name in parentheses.
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

// startTime returns an opaque mark of a process's start; empty if the process has ended.
func startTime(pid int) string {
	s, ok := readStat(fmt.Sprintf("/proc/%d/stat", pid))
	if ok && !s.ended {
		return s.Started
	}
	return ""
}

// attributes detaches a process from the caller's session. The kernel sends a bound process
// SIGKILL when the caller dies.
func attributes(user *syscall.Credential, bound bool) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setsid: true, Credential: user}
	if bound {
		a.Pdeathsig = syscall.SIGKILL
	}
	return a
}

// run runs a command to its end. Its output is in the error.
func run(cmd *exec.Cmd, what string) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", what, err, out)
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
