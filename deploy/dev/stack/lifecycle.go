package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/deploy/dev/programs"
)

// stopTimeout is the maximum time for an orderly stop: a daemon writes its chain to a disk
// that other processes use too.
const stopTimeout = time.Minute

// defaultTimeout is how long a part may take to become ready, even on a busy machine.
const defaultTimeout = 8 * time.Minute

// answerTimeout is how long a running part may take to answer before it counts as hung.
const answerTimeout = 45 * time.Second

// errShort ends a test that should have been skipped.
var errShort = errors.New("a short test starts no process but PostgreSQL: skip it where testing.Short()")

var errEnded = errors.New("it ended before it was ready")

// Up starts every part, waits until it is ready, and writes the env file. It does not restart
// parts that are running, ready and have the same settings. It installs missing programs
// first.
func (s *Stack) Up(ctx context.Context) error {
	if testing.Testing() && testing.Short() {
		return errShort
	}
	var needed []programs.Program
	for _, p := range s.parts {
		needed = append(needed, p.programs...)
	}
	if err := programs.Install(ctx, s.root, s.options.Output, needed); err != nil {
		return err
	}
	if err := s.CopyChains(ctx); err != nil {
		return err
	}
	err := s.ordered(ctx, func(p part) []string { return p.needs }, s.ensure)
	return errors.Join(err, s.writeEnv())
}

// Stop stops every part in an orderly way, services first. It also removes a private stack's
// database.
func (s *Stack) Stop() error {
	dependants := func(p part) []string {
		var list []string
		for _, other := range s.parts {
			if slices.Contains(other.needs, p.name) {
				list = append(list, other.name)
			}
		}
		return list
	}
	failures := make(chan error, len(s.parts))
	err := s.ordered(context.Background(), dependants, func(ctx context.Context, p part) error {
		failures <- s.end(ctx, p) // the other parts are stopped anyway
		return nil
	})
	close(failures)
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	err = errors.Join(err, s.block.Close())
	if s.options.Private {
		// The database may be outside of Dir, and the key is in it.
		err = errors.Join(err, os.RemoveAll(s.postgresHome()), os.RemoveAll(s.partnerKeyFile()))
	}
	return errors.Join(err, s.writeEnv())
}

// Clean removes all state except the built programs. No part may be running.
func (s *Stack) Clean() error {
	var errs []error
	for _, d := range []string{"data", "secrets", "log", "run", "env", "ports.json"} {
		errs = append(errs, os.RemoveAll(s.path(d)))
	}
	return errors.Join(append(errs, os.RemoveAll(s.postgresHome()))...)
}

// ordered runs a step for every part, as soon as the parts that must come before it are done.
// It stops at the first error.
func (s *Stack) ordered(
	ctx context.Context, before func(part) []string, step func(context.Context, part) error,
) error {
	done := map[string]chan struct{}{}
	for _, p := range s.parts {
		done[p.name] = make(chan struct{})
	}
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range s.parts {
		group.Go(func() error {
			for _, name := range before(p) {
				select {
				case <-done[name]:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := step(ctx, p); err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			close(done[p.name])
			return nil
		})
	}
	return group.Wait()
}

// ensure starts a part unless it runs with the right command and is ready.
func (s *Stack) ensure(ctx context.Context, p part) error {
	if p.disabled != nil && p.disabled(s) {
		return s.end(ctx, p)
	}
	if err := s.prepare(ctx, p); err != nil {
		return err
	}
	c, err := s.commandOf(p)
	if err != nil {
		return err
	}
	if r, ok := s.record(p.name); ok && r.alive() {
		if r.Settled && r.Fingerprint == c.fingerprint() && s.responds(ctx, p, r.process) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err // the part may be not ready because ctx has ended
		}
		if err := s.end(ctx, p); err != nil {
			return err
		}
	}
	return s.start(ctx, p, c)
}

// prepare makes the files that a part needs.
func (s *Stack) prepare(ctx context.Context, p part) error {
	if p.files {
		if err := os.MkdirAll(s.path("data", p.name), 0o700); err != nil {
			return err
		}
	}
	if p.prepare == nil {
		return nil
	}
	return p.prepare(ctx, s)
}

// responds reports whether a running part is ready. A part that is only slow, on a busy
// machine, is not restarted.
func (s *Stack) responds(ctx context.Context, p part, proc process) bool {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return s.becomeReady(ctx, p, proc) == nil
}

// start launches a part and waits until it is ready and settled.
func (s *Stack) start(ctx context.Context, p part, c command) error {
	begun := time.Now()
	err := s.attempt(ctx, p, c)
	for range p.retries {
		if !errors.Is(err, errEnded) || pause(ctx, time.Second) != nil {
			break
		}
		err = s.attempt(ctx, p, c)
	}
	if err != nil {
		return fmt.Errorf("%w\n%s", err, tail(s.logFile(p.name)))
	}
	if p.settle != nil {
		if err := p.settle(ctx, s); err != nil {
			return err
		}
	}
	// The next Up restarts a part without this mark.
	r, _ := s.record(p.name)
	r.Settled = true
	if err := s.keep(p.name, r); err != nil {
		return err
	}
	s.log.Info("ready", "part", p.name, "after", time.Since(begun).Round(time.Millisecond))
	return nil
}

func (s *Stack) attempt(ctx context.Context, p part, c command) error {
	proc, err := launch(c, s.logFile(p.name), s.options.Private)
	if err != nil {
		return err
	}
	r := record{process: proc, Fingerprint: c.fingerprint(), Settings: s.settings()}
	if err := s.keep(p.name, r); err != nil {
		return err
	}
	return s.becomeReady(ctx, p, proc)
}

// sayEvery is how often a part that is not ready logs the reason.
const sayEvery = 10 * time.Second

func (s *Stack) becomeReady(ctx context.Context, p part, proc process) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(s.options.ReadyTimeout, defaultTimeout))
	defer cancel()
	said := time.Now()
	for {
		err := s.probe(ctx, p)
		if !proc.alive() {
			return errEnded // the answer came from another process
		}
		if err == nil {
			return nil
		}
		if pause(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("it is not ready: %w", err)
		}
		if time.Since(said) >= sayEvery {
			said = time.Now()
			s.log.Info("not ready yet", "part", p.name, "because", err)
		}
	}
}

func (s *Stack) probe(ctx context.Context, p part) error {
	if p.ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	return p.ready(ctx, s)
}

// end stops a part: with the part's own signal first, with SIGKILL if that has no effect.
func (s *Stack) end(ctx context.Context, p part) error {
	r, ok := s.record(p.name)
	if !ok {
		return nil
	}
	// A paused process handles no signal until it continues.
	err := errors.Join(r.signal(cmp.Or(p.stop, syscall.SIGTERM)), r.signalFamily(syscall.SIGCONT))
	wait, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	if r.gone(wait) != nil {
		err = errors.Join(err, r.signal(syscall.SIGKILL), r.gone(ctx))
	}
	return errors.Join(err, s.forget(p.name))
}

// tail returns the end of a log.
func tail(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimRight(string(b), "\n"), "\n")
	return fmt.Sprintf("--- the end of %s ---\n%s", path, strings.Join(lines[max(0, len(lines)-30):], "\n"))
}

// once returns a function that calls f once and returns that result to every caller.
func once[T any](f func(context.Context) (T, error)) func(context.Context) (T, error) {
	var (
		run   sync.Once
		value T
		err   error
	)
	return func(ctx context.Context) (T, error) {
		run.Do(func() { value, err = f(ctx) })
		return value, err
	}
}
