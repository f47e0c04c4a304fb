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

// Interval is the longest time for which Progress says nothing.
const Interval = 10 * time.Second

// Progress tells what runs, and for how long. It is safe for use by several
// goroutines.
type Progress struct {
	out     io.Writer
	begun   time.Time
	mu      sync.Mutex // guards what follows, and out
	running []*Task
}

// Task is a part of the work that is told about.
type Task struct {
	progress *Progress
	name     string
	begun    time.Time
	state    string
}

// NewProgress tells out about tasks, every interval of those that run, until
// the returned function is called.
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
				p.tell()
			}
		}
	}()
	return p, func() { close(done); <-ended }
}

// Do runs a task. note says what it is, and how long it may take.
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

// tell says of every task that runs where it is.
func (p *Progress) tell() {
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

// Sayf sets where the task is.
func (t *Task) Sayf(format string, args ...any) {
	t.progress.mu.Lock()
	defer t.progress.mu.Unlock()
	t.state = fmt.Sprintf(format, args...)
}

// lastLines is how much of a failed command's output is shown.
const lastLines = 30

// Run executes a command. Each line that it prints is given to line; when it
// fails the last of them are in the error.
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

// lineWriter cuts what is written into lines.
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
