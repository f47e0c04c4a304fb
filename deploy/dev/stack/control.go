package stack

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"syscall"
)

// Kill ends a part's process with SIGKILL and waits until it has ended.
func (s *Stack) Kill(name string) error {
	r, err := s.running(name)
	if err == nil {
		err = r.signal(syscall.SIGKILL)
	}
	if err != nil {
		return err
	}
	return errors.Join(r.gone(context.Background()), s.writeEnv())
}

// Pause stops a part and its children (SIGSTOP), in any process group.
func (s *Stack) Pause(name string) error { return s.signalFamily(name, syscall.SIGSTOP) }

// Resume continues a paused part (SIGCONT).
func (s *Stack) Resume(name string) error { return s.signalFamily(name, syscall.SIGCONT) }

func (s *Stack) signalFamily(name string, sig syscall.Signal) error {
	r, err := s.running(name)
	if err != nil {
		return err
	}
	return r.signalFamily(sig)
}

// StartPart starts a part that is not running and waits until it is ready. It does nothing if
// the part is running and ready.
func (s *Stack) StartPart(ctx context.Context, name string) error {
	p, err := s.part(name)
	if err != nil {
		return err
	}
	if err := s.ensure(ctx, p); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.writeEnv()
}

// StopPart stops a part in an orderly way.
func (s *Stack) StopPart(ctx context.Context, name string) error {
	p, err := s.part(name)
	if err != nil {
		return err
	}
	return errors.Join(s.end(ctx, p), s.writeEnv())
}

// Restart stops a part in an orderly way, starts it again and waits until it is ready. The
// part keeps its settings unless Options.Env changes them.
func (s *Stack) Restart(ctx context.Context, name string) error {
	p, err := s.part(name)
	if err != nil {
		return err
	}
	if r, ok := s.record(name); ok {
		s.adopt(r.Settings)
	}
	if err := s.end(ctx, p); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return s.StartPart(ctx, name)
}

// WaitReady waits until a running part is ready.
func (s *Stack) WaitReady(ctx context.Context, name string) error {
	r, err := s.running(name)
	if err != nil {
		return err
	}
	p, err := s.part(name)
	return errors.Join(err, s.becomeReady(ctx, p, r.process))
}

// Status is the state of one part.
type Status struct {
	Name  string
	PID   int
	Ready bool
	Log   string
}

// Status returns the current state of every part.
func (s *Stack) Status(ctx context.Context) []Status {
	var list []Status
	for _, p := range s.parts {
		status := Status{Name: p.name, Log: s.logFile(p.name)}
		if r, err := s.running(p.name); err == nil {
			status.PID, status.Ready = r.PID, s.probe(ctx, p) == nil
		}
		list = append(list, status)
	}
	return list
}

// Running returns the parts that have a process, ready or not.
func (s *Stack) Running() []string {
	var names []string
	for _, p := range s.parts {
		if _, err := s.running(p.name); err == nil {
			names = append(names, p.name)
		}
	}
	return names
}

// running returns the record of a part that has a process.
func (s *Stack) running(name string) (record, error) {
	if _, err := s.part(name); err != nil {
		return record{}, err
	}
	r, ok := s.record(name)
	if !ok || !r.alive() {
		return record{}, fmt.Errorf("%s does not run", name)
	}
	return r, nil
}

// Durapay runs a command of the services' own program, as an operator does, with the services'
// settings, and returns its output.
func (s *Stack) Durapay(ctx context.Context, args ...string) ([]byte, error) {
	out, err := s.durapay(ctx, args...).Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w\n%s", err, failed.Stderr)
	}
	return out, err
}

func (s *Stack) durapay(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program(), args...)
	cmd.Env = command{env: s.serviceEnv("")}.environ()
	return cmd
}

// Another returns a command that runs one more process of a service, as on a second machine.
// It has the service's settings, except for those given. It needs listeners of its own, and is
// killed when the calling process dies.
func (s *Stack) Another(ctx context.Context, service string, settings map[string]string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, s.program(), service)
	all := s.serviceEnv(service)
	maps.Copy(all, settings)
	cmd.Env = command{env: all, inherited: s.options.Env}.environ()
	cmd.SysProcAttr = attributes(nil, true)
	return cmd
}

// Admin returns a command of operators (`durapay admin`) on this stack, with the settings with
// which the worker was last started. PostgreSQL and Temporal must be running.
func (s *Stack) Admin(ctx context.Context, args ...string) (*exec.Cmd, error) {
	for _, name := range []string{"postgres", temporalPart} {
		if _, err := s.running(name); err != nil {
			return nil, fmt.Errorf("%w; `make up` starts the stack", err)
		}
	}
	if r, ok := s.record("worker"); ok {
		s.adopt(r.Settings)
	}
	return s.durapay(ctx, append([]string{"admin"}, args...)...), nil
}
