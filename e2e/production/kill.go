//go:build linux

package main

import (
	"context"
	"strconv"
	"syscall"

	"github.com/durapay/durapay/e2e/fixture"
)

// kills ends the first process of every container with SIGKILL, one after the
// other, while the shop sells. Docker restarts each by itself.
func (d *day) kills(ctx context.Context) {
	list := d.site.running(ctx)
	d.selling(ctx, func() {
		for _, c := range list {
			d.kill(ctx, c.Name)
		}
		fixture.Sayf("%d containers were killed and came back", len(list))
		d.green(ctx)
	})
}

func (d *day) kill(ctx context.Context, name string) {
	pid := d.pid(ctx, name)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		fixture.Failf("kill %s: %w", name, err)
	}
	until(ctx, name+" is healthy again", func() bool {
		now := d.pid(ctx, name)
		return now != 0 && now != pid && fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{.State.Health.Status}}", name)) == "healthy"
	})
}

// pid is the container's first process, as this machine sees it; 0 while there is
// none.
func (d *day) pid(ctx context.Context, name string) int {
	return fixture.Must(strconv.Atoi(fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{.State.Pid}}", name))))
}
