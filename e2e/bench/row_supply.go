package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// supply makes more charges at once than the pool has addresses, for two shops, while the
// worker makes addresses as it does with default settings.
func (b *bench) supply(ctx context.Context) {
	w := b.testbed
	delete(w.env, "ADDRESS_POOL_TARGET")
	w.upAgain(ctx)
	defer func() {
		w.env["ADDRESS_POOL_TARGET"] = poolKept
		w.upAgain(ctx)
	}()
	ready := 0
	for begun := time.Now(); ready < leastSupply; ready = w.freeAddresses(ctx) {
		if time.Since(begun) > startup {
			fixture.Failf("the pool has %d addresses", ready)
		}
		fixture.Do(fixture.Pause(ctx, 200*time.Millisecond))
	}
	shops := []*shop{b.crowd, w.openShop(ctx, nil)}
	var refused, fewest atomic.Int64
	fewest.Store(int64(ready))
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		for fixture.Pause(watching, 100*time.Millisecond) == nil {
			_ = fixture.Try(func() { fewest.Store(min(fewest.Load(), int64(w.freeAddresses(watching)))) })
		}
	}()
	begun := time.Now()
	fixture.Do(repeat(ctx, rushClients, int64(b.sizes.supply), func(ctx context.Context, n int64) error {
		if err := shops[n%2].post(ctx, n); err != nil && refused.Add(1) == 1 {
			fixture.Reportf("the first refusal: %v", err)
		}
		return ctx.Err()
	}))
	took := time.Since(begun)
	b.table.add(row{
		measure:   fmt.Sprintf("%s charges of two shops, %d clients, default pool", thousands(b.sizes.supply), rushClients),
		value:     fmt.Sprintf("%d refused, %s, fewest addresses left %d", refused.Load(), perSecond(float64(b.sizes.supply)/took.Seconds()), fewest.Load()),
		reference: fmt.Sprintf("%d addresses ready before", ready), ratio: "", bar: "0 refused", met: refused.Load() == 0,
	})
	w.started(ctx)
}

// leastSupply is how many addresses a pool of default size has, at least.
const leastSupply = 2500
