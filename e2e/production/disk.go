//go:build linux

package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
)

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
	fixture.Require(err != nil, "the disk has no end: %s", out)
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
		answer, cancel := context.WithTimeout(ctx, oneAnswer)
		defer cancel()
		_, err := d.shop.Sell(answer, "0.01")
		status := clients.Status(err)
		if status >= 500 {
			fixture.Sayf("a charge is refused with %d", status)
		}
		return status >= 500
	})
}
