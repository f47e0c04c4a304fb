package main

import (
	"context"

	"github.com/durapay/durapay/worker"
)

type reconcileCmd struct{}

// Run starts the workflows that Temporal has lost, and prints their number.
func (c *reconcileCmd) Run(ctx context.Context) error {
	b, err := openBase(ctx, "durapay-admin")
	if err != nil {
		return err
	}
	defer b.close()
	done, err := worker.Reconciler{Store: b.store, Temporal: b.temporal, Clock: clock}.Run(ctx)
	if err != nil {
		return err
	}
	return show(done)
}
