package main

import (
	"context"
	"strconv"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// poolKept is how many addresses the worker keeps ready by itself.
const poolKept = "1"

// fillPool has addresses made ahead and none made afterwards, so that no worker makes any during
// a measurement. The worker makes them at the processor's speed.
func (w *testbed) fillPool(ctx context.Context, addresses int) {
	w.up(ctx)
	begun := time.Now()
	w.watched(ctx, liveScanned)
	free := w.freeAddresses(ctx)
	// A pool is filled when fewer than half are left.
	w.env["ADDRESS_POOL_TARGET"] = strconv.Itoa(max(addresses, 2*free+1))
	w.up(ctx)
	for ; free < addresses; free = w.freeAddresses(ctx) {
		fixture.Do(fixture.Pause(ctx, 200*time.Millisecond))
	}
	fixture.Reportf("%s addresses were made in %s", thousands(addresses), time.Since(begun).Round(time.Second))
	w.env["ADDRESS_POOL_TARGET"] = poolKept
	w.upAgain(ctx)
}

// freeAddresses returns how many addresses may be handed out: those that the lease reaches.
func (w *testbed) freeAddresses(ctx context.Context) int {
	return value[int](ctx, w, `SELECT count(*) FROM addresses a JOIN witnesses l ON l.wallet_id = a.wallet_id
		WHERE a.wallet_id = $1 AND a.subaddress_index > GREATEST(l.lease_from, l.handed_out) AND a.subaddress_index <= l.lease_to
			AND l.lease_instance = database_instance()`, liveWallet)
}
