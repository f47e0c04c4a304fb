//go:build linux

package main

import (
	"context"
	"errors"

	"github.com/durapay/durapay/e2e/fixture"
)

// upgrade names the running version, builds an image of another name, and
// replaces every service of the project's by it while the shop sells, without
// one request that gets no answer. Both versions are of the same files: no other
// one is released yet.
func (d *day) upgrade(ctx context.Context) error {
	l := d.sell(ctx)
	for _, version := range []string{"first", "second"} {
		if err := d.version(ctx, version); err != nil {
			return errors.Join(err, l.settle(ctx))
		}
	}
	return errors.Join(l.settle(ctx), l.alwaysAnswered())
}

// version follows "Upgrades", "Without a pause", of docs/operations.md.
func (d *day) version(ctx context.Context, name string) error {
	if err := d.set(".env", "DURAPAY_TAG="+name, "WORKER_BUILD_ID="+name); err != nil {
		return err
	}
	for _, command := range [][]string{
		{"build", "worker"},
		{"up", "-d", "--wait", "worker-more"},
		{
			"run", "--rm", "-T", "--entrypoint", "temporal", "temporal-namespace",
			"worker", "deployment", "set-current-version", "--deployment-name", "durapay", "--build-id", name, "--yes",
		},
		{"up", "-d", "--wait", "merchant-api-more"},
		{"up", "-d"},
	} {
		if _, err := d.site.compose(ctx, command...); err != nil {
			return err
		}
	}
	if err := d.green(ctx); err != nil {
		return err
	}
	fixture.Sayf("workers of the version %q have taken over", name)
	return nil
}
