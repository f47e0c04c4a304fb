//go:build linux

package main

import (
	"context"

	"github.com/durapay/durapay/e2e/fixture"
)

// upgrade names the running version, builds an image of another name, and
// replaces every service of the project's by it while the shop sells, without
// one request that gets no answer. Both versions are of the same files: no other
// one is released yet.
func (d *day) upgrade(ctx context.Context) {
	d.selling(ctx, func() {
		d.version(ctx, "first")
		d.version(ctx, "second")
	}).alwaysAnswered()
}

// version follows "Upgrades", "Without a pause", of docs/operations.md.
func (d *day) version(ctx context.Context, name string) {
	d.set(".env", "DURAPAY_TAG="+name, "WORKER_BUILD_ID="+name)
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
		d.site.compose(ctx, command...)
	}
	d.green(ctx)
	fixture.Sayf("workers of the version %q have taken over", name)
}
