//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"syscall"

	"github.com/durapay/durapay/e2e/fixture"
)

// kills ends the first process of every container with SIGKILL, one after the
// other, while the shop sells. Docker restarts each by itself.
func (d *day) kills(ctx context.Context) error {
	list, err := d.site.containers(ctx)
	if err != nil {
		return err
	}
	l := d.sell(ctx)
	killed := 0
	for _, c := range list {
		if c.State != "running" {
			continue
		}
		if err := d.kill(ctx, c.Name); err != nil {
			return errors.Join(err, l.settle(ctx))
		}
		killed++
	}
	fixture.Sayf("%d containers were killed and came back", killed)
	if err := d.green(ctx); err != nil {
		return err
	}
	return l.settle(ctx)
}

func (d *day) kill(ctx context.Context, name string) error {
	pid, err := d.pid(ctx, name)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s: %w", name, err)
	}
	return until(ctx, name+" is healthy again", func() (bool, error) {
		now, err := d.pid(ctx, name)
		if err != nil || now == 0 || now == pid {
			return false, err
		}
		health, err := d.engine.docker(ctx, "inspect", "--format", "{{.State.Health.Status}}", name)
		return health == "healthy", err
	})
}

// pid is the container's first process, as this machine sees it; 0 while there is
// none.
func (d *day) pid(ctx context.Context, name string) (int, error) {
	out, err := d.engine.docker(ctx, "inspect", "--format", "{{.State.Pid}}", name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(out)
}
