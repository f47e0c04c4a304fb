//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// door is where a service listens.
type door struct {
	// needed are the services that must be able to connect.
	needed []string
	// asked may connect as well: they share a network with the service for another
	// reason. The service asks them for a login, a token or a certificate, or shows
	// them public data only.
	asked []string
}

func doors() map[string]door {
	durapay := []string{"worker", "merchant-api", "swap-api"}
	wallets := []string{"wallet-live-spend", "wallet-sandbox", "wallet-exchange-spend"}
	of := slices.Concat[[]string]
	only := func(names ...string) []string { return names }
	all := map[string]door{
		"postgres:5432": {needed: of(durapay, only("temporal"))},
		"temporal:7233": {needed: of(durapay, only("temporal-ui")), asked: only("postgres")},
		// Temporal's UI has no login: the worker asks for one.
		"temporal-ui:8080": {needed: only("worker"), asked: only("temporal")},
		"monerod:18081":    {},
		"monerod:18082":    {},
		"monerod:18083":    {needed: only("worker"), asked: only("litecoind")},
		"monerod:18089":    {needed: of(wallets, only("worker")), asked: only("litecoind")},
		"litecoind:9332":   {needed: only("worker"), asked: only("monerod")},
		"tor:9050":         {needed: durapay, asked: only("edge")},
		// Metrics, probes, and the codec, which asks for its token.
		"worker:9090": {asked: of(durapay, wallets, only("postgres", "temporal", "temporal-ui", "monerod", "litecoind", "tor"))},
		// The API is public.
		"merchant-api:8080": {needed: only("edge"), asked: of(durapay, only("postgres", "temporal", "tor"))},
		"merchant-api:8082": {needed: only("tor")},
		// Metrics, probes, and operators' routes, which ask for a login.
		"merchant-api:9090": {asked: of(durapay, only("edge", "postgres", "temporal", "tor"))},
		"swap-api:8081":     {needed: only("edge"), asked: of(durapay, only("postgres", "temporal", "tor"))},
		"swap-api:8083":     {needed: only("tor")},
		"swap-api:9090":     {asked: of(durapay, only("edge", "postgres", "temporal", "tor"))},
		"internet":          {needed: of(durapay, only("tor", "monerod", "litecoind", "edge"))},
	}
	for _, wallet := range wallets {
		all[wallet+":18082"] = door{needed: only("worker"), asked: wallets}
	}
	return all
}

// reach tries every door from the inside of every container, and says which are
// open to whom they need not be, or shut to whom they must be open.
func (d *day) reach(ctx context.Context) {
	list := d.site.running(ctx)
	addresses := d.addresses(ctx, list)
	debian := fixture.Must(net.DefaultResolver.LookupNetIP(ctx, "ip4", "deb.debian.org"))
	internet := net.JoinHostPort(debian[0].Unmap().String(), "80")
	var visitors sync.WaitGroup
	found := make([]visits, len(list))
	for i, from := range list {
		pid := d.pid(ctx, from.Name)
		visitors.Go(func() { found[i] = visit(ctx, from.Service, strconv.Itoa(pid), addresses, internet) })
	}
	visitors.Wait()
	tried := 0
	var faults []error
	for _, v := range found {
		tried += v.tried
		faults = append(faults, v.faults...)
	}
	fixture.Sayf("%d ways from a container to a door were tried", tried)
	fixture.Do(errors.Join(faults...))
}

// visits are the tries of one container, and the faults that it found.
type visits struct {
	tried  int
	faults []error
}

func visit(ctx context.Context, from, pid string, addresses map[string][]netip.Addr, internet string) visits {
	var v visits
	for name, how := range doors() {
		service, port, _ := strings.Cut(name, ":")
		if from == service {
			continue
		}
		targets := []string{internet}
		if service != "internet" {
			targets = nil
			for _, address := range addresses[service] {
				targets = append(targets, net.JoinHostPort(address.String(), port))
			}
		}
		v.tried++
		open := anyOpen(ctx, pid, targets)
		needed := slices.Contains(how.needed, from)
		if open != needed && (!open || !slices.Contains(how.asked, from)) {
			v.faults = append(v.faults, fmt.Errorf("%s from %s: open %t, needed %t", name, from, open, needed))
		}
	}
	return v
}

func (d *day) addresses(ctx context.Context, list []container) map[string][]netip.Addr {
	found := map[string][]netip.Addr{}
	for _, c := range list {
		out := fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}", c.Name))
		for text := range strings.FieldsSeq(out) {
			address, err := netip.ParseAddr(text)
			if err != nil {
				fixture.Failf("%s: %w", c.Name, err)
			}
			found[c.Service] = append(found[c.Service], address)
		}
	}
	return found
}

// anyOpen reports whether one of the targets accepts a connection from the network
// of a process. A target that does not answer is shut: its packets are dropped.
func anyOpen(ctx context.Context, pid string, targets []string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	open := make(chan bool, len(targets))
	for _, target := range targets {
		go func() {
			conn, err := dialInNetworkOf(ctx, pid, target)
			if err == nil {
				_ = conn.Close()
			}
			open <- err == nil
		}()
	}
	found := false
	for range targets {
		found = <-open || found
	}
	return found
}

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
