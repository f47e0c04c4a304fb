//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/durapay/durapay/e2e/fixture"
)

// confined inspects each process of the installation from outside, as the kernel
// runs it: no process is root, none can become root, and none can write to the
// files of its image, except for PostgreSQL.
func (d *day) confined(ctx context.Context) {
	var faults []error
	seen := 0
	list := d.site.containers(ctx)
	for _, c := range list {
		if c.State != "running" {
			continue
		}
		processes := fixture.Must(d.engine.docker(ctx, "top", c.Name, "-o", "pid"))
		for _, pid := range strings.Fields(processes)[1:] {
			seen++
			faults = append(faults, looseness(c.Service, pid))
		}
	}
	fixture.Sayf("%d processes in %d containers were looked at", seen, len(list))
	fixture.Do(errors.Join(faults...))
}

// looseness is what a process may do that it need not.
func looseness(service, pid string) error {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if errors.Is(err, os.ErrNotExist) {
		return nil // it has ended
	}
	if err != nil {
		return err
	}
	value := func(key string) string {
		found := regexp.MustCompile(`(?m)^` + key + `:\s+(\S+)`).FindStringSubmatch(string(status))
		if found == nil {
			return ""
		}
		return found[1]
	}
	var faults []error
	fault := func(format string, values ...any) {
		faults = append(faults, fmt.Errorf(service+", process "+pid+": "+format, values...))
	}
	if value("Uid") == "0" {
		fault("runs as root")
	}
	if effective := value("CapEff"); strings.Trim(effective, "0") != "" {
		fault("has capabilities %s", effective)
	}
	if value("NoNewPrivs") != "1" {
		fault("may get new privileges")
	}
	if value("Seccomp") != "2" {
		fault("may make any system call")
	}
	if service != "postgres" { // which needs to write to its image's files
		if err := os.WriteFile("/proc/"+pid+"/root/written", nil, 0o600); !errors.Is(err, syscall.EROFS) {
			fault("its image's files can be written: %v", err)
		}
	}
	return errors.Join(faults...)
}
