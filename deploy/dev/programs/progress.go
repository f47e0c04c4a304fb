package programs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

// Interval is the maximum time without output of Progress.
const Interval = 10 * time.Second

// Progress prints the running tasks and their durations. It is safe for use by several
// goroutines.
type Progress struct {
	out     io.Writer
	begun   time.Time
	mu      sync.Mutex // guards out and the fields below
	running []*Task
}

// Task is a part of the work whose progress is printed.
type Task struct {
	progress *Progress
	name     string
	begun    time.Time
	state    string
}

// NewProgress prints tasks to out, and the running ones again at every interval, until the
// returned function is called.
func NewProgress(out io.Writer, interval time.Duration) (p *Progress, stop func()) {
	p = &Progress{out: out, begun: time.Now()}
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.report()
			}
		}
	}()
	return p, func() { close(done); <-ended }
}

// Do runs a task. note describes it and how long it may take.
func (p *Progress) Do(name, note string, do func(*Task) error) error {
	t := &Task{progress: p, name: name, begun: time.Now()}
	p.mu.Lock()
	p.running = append(p.running, t)
	p.linef("%s: %s", name, note)
	p.mu.Unlock()
	err := do(t)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = slices.DeleteFunc(p.running, func(other *Task) bool { return other == t })
	if err != nil {
		p.linef("%s: failed after %s", name, clock(time.Since(t.begun)))
		return fmt.Errorf("%s: %w", name, err)
	}
	p.linef("%s: done in %s", name, clock(time.Since(t.begun)))
	return nil
}

// report prints the state of every running task.
func (p *Progress) report() {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]string, len(p.running))
	for i, t := range p.running {
		list[i] = strings.TrimSpace(t.name + " " + t.state)
	}
	if len(list) > 0 {
		p.linef("%s …", strings.Join(list, "; "))
	}
}

func (p *Progress) linef(format string, args ...any) {
	fmt.Fprintf(p.out, "[%s] "+format+"\n", append([]any{clock(time.Since(p.begun))}, args...)...)
}

// clock writes 75 seconds as 1:15.
func clock(d time.Duration) string {
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60) //nolint:mnd // a minute
}

// Sayf sets the task's state.
func (t *Task) Sayf(format string, args ...any) {
	t.progress.mu.Lock()
	defer t.progress.mu.Unlock()
	t.state = fmt.Sprintf(format, args...)
}

// lastLines is the number of lines shown of a failed command's output.
const lastLines = 30

// Run executes a command and passes each line of its output to line. If the command fails, the
// error contains the last lines.
func (t *Task) Run(ctx context.Context, dir string, line func(string), args ...string) error {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	lines := &lineWriter{line: line}
	cmd.Stdout, cmd.Stderr = lines, lines
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, strings.Join(lines.last, "\n"))
	}
	return nil
}

// lineWriter splits its input into lines.
type lineWriter struct {
	line    func(string)
	last    []string
	pending []byte
}

func (w *lineWriter) Write(b []byte) (int, error) {
	w.pending = append(w.pending, b...)
	for {
		text, rest, found := bytes.Cut(w.pending, []byte("\n"))
		if !found {
			return len(b), nil
		}
		w.last = append(w.last, string(text))
		w.last = w.last[max(0, len(w.last)-lastLines):]
		if w.line != nil {
			w.line(string(text))
		}
		w.pending = slices.Clone(rest)
	}
}
