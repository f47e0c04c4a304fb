// Package stack runs every part of Durapay on one machine as plain processes: the servers it
// depends on and its own services. `make up` keeps one such stack in .dev. End-to-end tests
// start private ones on free ports, and kill, pause and restart their parts.
//
// A part declares its preparation, its command line, its environment and its
// readiness check; parts lists them. All state of a stack is in its directory, so another
// process can find the parts again:
//
//	bin/      programs built for it
//	data/     the parts' files
//	secrets/  generated keys and passwords
//	log/      one log per part
//	run/      one record per running part
//	env       KEY=value lines for shells and clients
//
// Two things are shared, because they take long to make. The funded chains that a new stack
// copies are in the user's cache (durapay-dev). The programs that are linked once are in
// .dev/build of the working copy.
package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/durapay/durapay/deploy/dev/programs"
	"github.com/durapay/durapay/internal/testkit"
)

// ErrUnknownPart is returned for a part that this stack does not have.
var ErrUnknownPart = errors.New("no such part")

// Options configure a stack.
type Options struct {
	// Dir holds all state of the stack. It is created if missing.
	Dir string
	// Env are settings that override the stack's own. They reach the services and the parts
	// (DEV_BLOCK_SECONDS).
	Env map[string]string
	// Parts selects parts by name; the parts that they need are added. Empty selects all parts
	// except the asked ones that neither Asked names nor run.
	Parts, Asked []string
	// Private is for tests: the ports are free ones, not the usual ones, and the parts die
	// with the calling process.
	Private bool
	// Clocks is set for a stack whose services have clocks that MoveClock moves.
	Clocks bool
	// ReadyTimeout is how long a part may take to become ready; eight minutes when zero.
	ReadyTimeout time.Duration
	// Log reports progress; nil for no reports.
	Log *slog.Logger
	// Output receives the output of installers and compilers; nil discards it.
	Output io.Writer

	// fromScratch makes wallets and mines money in the stack itself. It is set for the
	// template that other stacks copy.
	fromScratch bool
}

// Stack is a set of parts that share a directory.
type Stack struct {
	dir, root string
	options   Options
	log       *slog.Logger
	temporal  programs.TemporalKind
	parts     []part
	ports     map[string]int
	block     *testkit.Ports
	usual     net.Listener // held by the process that may give the usual ports

	build   func(context.Context) (version string, err error)
	devTool func(context.Context) (string, error)
	migrate func(context.Context) (struct{}, error)
	envMu   sync.Mutex // guards the env file
	mu      sync.Mutex // guards the making of secrets
	keysMu  sync.Mutex // guards the making of wallet keys
	fundsMu sync.Mutex // funds one wallet at a time
}

// Start opens a stack and starts all of its parts. If that fails, it stops the started parts
// and returns an error with the failing part's last log lines.
func Start(ctx context.Context, o Options) (*Stack, error) {
	s, err := Open(o)
	if err != nil {
		return nil, err
	}
	if err := s.Up(ctx); err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return s, nil
}

// Open prepares a stack's directory and ports and starts nothing. It finds parts that are
// already running by their records.
func Open(o Options) (*Stack, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("stack directory: %w", err)
	}
	root, err := repository()
	if err != nil {
		return nil, err
	}
	o.Log, o.Output = cmp.Or(o.Log, slog.New(slog.DiscardHandler)), cmp.Or(o.Output, io.Discard)
	s := &Stack{dir: dir, root: root, options: o, log: o.Log}
	s.build, s.migrate, s.devTool = once(s.buildProgram), once(s.migrateSchema), once(s.buildTool)
	if err := s.makeDirs(); err != nil {
		return nil, err
	}
	if s.temporal, err = s.chooseTemporal(); err != nil {
		return nil, err
	}
	if err := s.selectParts(); err != nil {
		return nil, err
	}
	return s, s.assignPorts()
}

// Env returns the addresses, log files and process ids of the running parts: the content of
// the env file.
func (s *Stack) Env() map[string]string {
	env := map[string]string{}
	for _, p := range s.parts {
		record, ok := s.record(p.name)
		if !ok || !record.alive() {
			continue
		}
		env["PID_"+p.key()] = fmt.Sprint(record.PID)
		env[cmp.Or(p.logKey, p.key()+"_LOG")] = s.logFile(p.name)
		maps.Copy(env, s.variables(p.name))
	}
	return env
}

// Dir returns the stack's directory.
func (s *Stack) Dir() string { return s.dir }

// Lock locks a stack's directory against other commands until the returned function is called.
// It waits for its turn.
func Lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // the database has another user
		return nil, fmt.Errorf("stack directory: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = pause(ctx, 100*time.Millisecond)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("lock: %w", err), f.Close())
		}
	}
}

func (s *Stack) makeDirs() error {
	for _, d := range []string{"bin", "data", "secrets", "log", "run"} {
		if err := os.MkdirAll(s.path(d), 0o755); err != nil { //nolint:gosec // the database has another user
			return fmt.Errorf("stack directory: %w", err)
		}
	}
	err := os.Chmod(s.path("secrets"), 0o700) //nolint:gosec // a directory
	for _, name := range []string{"postgres-admin", "postgres", "litecoin-rpc"} {
		err = errors.Join(err, s.makeSecret(name))
	}
	return err
}

// selectParts keeps the selected parts and the parts that they need.
func (s *Stack) selectParts() error {
	all, selected := parts(s.temporal), map[string]bool{}
	for names := slices.Concat(s.options.Parts, s.options.Asked); len(names) > 0; names = names[1:] {
		i := slices.IndexFunc(all, func(p part) bool { return p.name == names[0] })
		if i < 0 {
			return fmt.Errorf("%w: %q", ErrUnknownPart, names[0])
		}
		selected[names[0]], names = true, append(names, all[i].needs...)
	}
	for _, p := range all {
		if len(s.options.Parts) == 0 && (!p.asked || s.runs(p.name)) || selected[p.name] {
			s.parts = append(s.parts, p)
		}
	}
	for i, p := range s.parts {
		for _, other := range p.after {
			if s.has(other) {
				s.parts[i].needs = append(slices.Clip(s.parts[i].needs), other)
			}
		}
	}
	return nil
}

// runs reports whether a part has a process.
func (s *Stack) runs(name string) bool {
	r, ok := s.record(name)
	return ok && r.alive()
}

func (s *Stack) has(name string) bool {
	return slices.ContainsFunc(s.parts, func(p part) bool { return p.name == name })
}

func (s *Stack) part(name string) (part, error) {
	for _, p := range s.parts {
		if p.name == name {
			return p, nil
		}
	}
	return part{}, fmt.Errorf("%w: %q", ErrUnknownPart, name)
}

func (s *Stack) path(elements ...string) string {
	return filepath.Join(append([]string{s.dir}, elements...)...)
}

func (s *Stack) logFile(name string) string { return s.path("log", name+".log") }

// setting returns a variable that the caller may set, or its default.
func (s *Stack) setting(key, otherwise string) string {
	if v, ok := s.options.Env[key]; ok {
		return v
	}
	return otherwise
}

// repository returns the nearest directory above the working directory that contains
// deploy/dev/stack.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "deploy", "dev", "stack")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("the stack runs inside the repository only")
}
