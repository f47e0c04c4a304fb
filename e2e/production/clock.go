//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/durapay/durapay/deploy/dev/stack"
	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// clockTag is the tag of images whose clock a file moves.
	clockTag = "clock"
	// wrongFor is how long a clock is wrong, and wrongBy by how much: less than the
	// time in which a charge can be paid, because a clock that is further ahead
	// expires unpaid charges.
	wrongFor = 20 * time.Second
	wrongBy  = 45 * time.Minute
)

// clocks are those of an installation, by who has them: each is a folder that its
// containers see as /clock.
type clocks struct{ site *site }

// ofDurapay and ofPostgres have a clock of their own, as machines of their own
// have one.
const (
	ofDurapay  = "durapay"
	ofPostgres = "postgres"
)

func (k clocks) set(by time.Duration, whose ...string) {
	for _, name := range whose {
		fixture.Do(stack.SetClock(filepath.Join(k.site.dir, "clock", name, "moved"), by))
	}
}

// services are what the override file says of those that have a clock.
func (k clocks) services() map[string]fields {
	mount := func(name string) fields { return fields{"volumes": []string{"./clock/" + name + ":/clock:ro"}} }
	all := map[string]fields{ofPostgres: mount(ofPostgres)}
	for _, name := range []string{"worker", "worker-more", "merchant-api", "merchant-api-more", "swap-api"} {
		all[name] = mount(ofDurapay)
	}
	all[ofPostgres]["image"] = clockImage(ofPostgres)
	// The command stays the one that ships.
	all[ofPostgres]["entrypoint"] = []string{
		"docker-entrypoint.sh", "env", "LD_PRELOAD=/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1",
		"FAKETIME_TIMESTAMP_FILE=/clock/moved", "FAKETIME_CACHE_DURATION=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
	}
	return all
}

// clockMoved sets clocks wrong while the shop sells: first that of Durapay's
// containers alone, then the database's as well. Temporal, the chains and the customer
// have the right time. A worker whose clock is ahead of Temporal's takes a step for
// timed out when it begins, so payouts wait until the clock is right: it is right at
// the end. A container has no clock of its own: the program is that of the
// installation with another time.Now, and PostgreSQL has libfaketime.
func (d *day) clockMoved(ctx context.Context) {
	k := &clocks{d.site}
	both := []string{ofDurapay, ofPostgres}
	k.set(0, both...)
	d.withClocks(ctx, k)
	steps := []struct {
		title string
		by    time.Duration
		whose []string
	}{
		{"Durapay's containers are 45 minutes ahead of the others", wrongBy, []string{ofDurapay}},
		{"they are 45 minutes late", -wrongBy, []string{ofDurapay}},
		{"they are right again", 0, both},
		{"Durapay and the database are 45 minutes late", -wrongBy, both},
		{"they are put right", 0, both},
		{"they are 45 minutes ahead", wrongBy, both},
		{"they are put right", 0, both},
	}
	d.selling(ctx, func() {
		for _, step := range steps {
			k.set(step.by, step.whose...)
			fixture.Do(fixture.Pause(ctx, wrongFor))
			d.show(ctx, step.by, step.whose)
			fixture.Sayf("%s", step.title)
		}
		d.green(ctx)
		fixture.Do(d.shop.LogIn(ctx, shopEmail, d.shop.Password))
	})
}

// show ends the step unless the API and the database have the time that was set.
func (d *day) show(ctx context.Context, by time.Duration, whose []string) {
	header := d.header(ctx, d.api+"/livez")
	says := fixture.Must(time.Parse(time.RFC1123, header.Get("Date")))
	wrong("API", says, by)
	if !slices.Contains(whose, ofPostgres) {
		return
	}
	seconds := d.site.compose(ctx, "exec", "-T", "-u", "postgres", "postgres", "psql", "-Atc", "SELECT extract(epoch FROM now())::bigint")
	wrong("database", time.Unix(fixture.Must(strconv.ParseInt(strings.TrimSpace(seconds), 10, 64)), 0), by)
}

// wrong ends the step if a clock is not wrong as it should be.
func wrong(whose string, says time.Time, by time.Duration) {
	off := time.Until(says) - by
	fixture.Requiref(off.Abs() < 10*time.Second, "the clock of the %s says %s, which is off by %s", whose, says, off)
}

// withClocks replaces the images by those whose clock can be moved.
func (d *day) withClocks(ctx context.Context, k *clocks) {
	folder := d.engine.path(clockTag)
	overlay := fixture.Must(stack.Overlay(ctx, d.root, folder))
	fixture.Must(d.engine.run(ctx, d.root, "env", "CGO_ENABLED=0", "go", "build", "-overlay", overlay, "-trimpath", "-ldflags=-s -w",
		"-o", filepath.Join(folder, "durapay"), "./cmd/durapay"))
	for target, image := range d.clockImages(ctx) {
		fixture.Must(d.engine.docker(ctx, "build", "--network", "host", "--file", filepath.Join(d.root, "deploy/test-images/clock.Dockerfile"),
			"--build-arg", strings.ToUpper(target)+"="+image, "--target", target, "--tag", clockImage(target), folder))
	}
	d.site.clocks = k
	d.site.writeOverride(moneroArchive(d.engine.path("monero")))
	d.set(".env", "DURAPAY_TAG="+clockTag)
	d.start(ctx)
}

func clockImage(name string) string { return name + ":" + clockTag }

func (d *day) clockImages(ctx context.Context) map[string]string {
	images := map[string]string{}
	for name, service := range map[string]string{ofDurapay: "worker", ofPostgres: "postgres"} {
		images[name] = fixture.Must(d.engine.docker(ctx, "inspect", "--format", "{{.Config.Image}}", d.site.nameOf(service)))
	}
	return images
}

const (
	// diskSize is enough for the databases of this day, and no more.
	diskSize = "1G"
	// diskFullFor is how long the disk stays full.
	diskFullFor = 30 * time.Second
)

// disk is a small one that holds the database alone: a file that is mounted.
type disk struct {
	engine *engine
}

func (k *disk) at() string { return k.engine.path("disk") }

// data is the folder that becomes the database's volume: the disk's own root has
// a folder that the server does not expect.
func (k *disk) data() string { return filepath.Join(k.at(), "data") }

// filler is what takes the room.
func (k *disk) filler() string { return filepath.Join(k.at(), "filler") }

func (k *disk) mount(ctx context.Context) {
	fixture.Must(k.engine.run(ctx, k.engine.dir, "sh", "-ec",
		`rm -f "$0"; truncate -s "$1" "$0"; mkfs.ext4 -q -F -m 0 "$0"; mkdir -p "$2"; mount -o loop "$0" "$2"; mkdir "$3"`,
		k.engine.path("disk.img"), diskSize, k.at(), k.data()))
}

// unmount takes it away, if it is there.
func (k *disk) unmount(ctx context.Context) error {
	if _, err := k.engine.run(ctx, k.engine.dir, "mountpoint", "-q", k.at()); err != nil {
		return nil //nolint:nilerr // it is not there
	}
	_, err := k.engine.run(ctx, k.engine.dir, "umount", k.at())
	return err
}

// fill writes until there is no room, not for one byte.
func (k *disk) fill(ctx context.Context) {
	out, err := k.engine.run(ctx, k.engine.dir, "dd", "if=/dev/zero", "of="+k.filler(), "bs=64k", "conv=fsync")
	fixture.Requiref(err != nil, "the disk has no end: %s", out)
	fixture.Sayf("%d MB were written, and the database's disk is full", fixture.Must(os.Stat(k.filler())).Size()>>20)
}

// diskFull leaves the database no room while the shop sells, until a charge is
// refused, and gives it back.
func (d *day) diskFull(ctx context.Context) {
	d.selling(ctx, func() {
		fixture.Finally(func() {
			d.site.disk.fill(ctx)
			d.refusal(ctx)
			fixture.Do(fixture.Pause(ctx, diskFullFor))
		}, func() error { return os.Remove(d.site.disk.filler()) })
		d.green(ctx)
	})
}

// refusal waits until the API refuses a charge with a status of 500 or more.
func (d *day) refusal(ctx context.Context) {
	until(ctx, "a charge is refused", func() bool {
		answer, cancel := context.WithTimeout(ctx, answerTimeout)
		defer cancel()
		_, err := d.shop.Sell(answer, "0.01")
		status := clients.Status(err)
		if status >= 500 {
			fixture.Sayf("a charge is refused with %d", status)
		}
		return status >= 500
	})
}
