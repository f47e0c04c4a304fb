//go:build linux

package main

import (
	"context"
	"errors"
)

// upgrade names the running version, builds an image of another name, and
// replaces every service of the project's by it while the shop sells. Both
// versions are of the same files: no other one is released yet.
func (d *day) upgrade(ctx context.Context) error {
	l := d.sell(ctx)
	for _, version := range []string{"first", "second"} {
		if err := d.version(ctx, version); err != nil {
			return errors.Join(err, l.settle(ctx))
		}
	}
	return l.settle(ctx)
}

// version follows "Upgrades" and "Worker versioning" of docs/operations.md.
func (d *day) version(ctx context.Context, name string) error {
	if err := d.set(".env", "DURAPAY_TAG="+name, "WORKER_BUILD_ID="+name); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"build"},
		{"up", "-d"},
		{
			"run", "--rm", "-T", "--entrypoint", "temporal", "temporal-namespace",
			"worker", "deployment", "set-current-version", "--yes", "--deployment-name", "durapay", "--build-id", name,
		},
	} {
		if _, err := d.site.compose(ctx, command...); err != nil {
			return err
		}
	}
	if err := d.green(ctx); err != nil {
		return err
	}
	sayf("workers of the version %q have taken over", name)
	return nil
}
