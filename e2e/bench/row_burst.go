package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	rushClients = 64
	// rushBar is how much longer than bare starts it may take until all workflows of a
	// rush run.
	rushBar = 1.2
	// bareShare is the part of a rush that bare starts are timed with, before and after.
	bareShare = 4
)

// burst makes many charges at once and takes the time until the last has its workflow,
// compared with as many bare starts of a workflow that does nothing: their rate is
// taken before and after.
func (b *bench) burst(ctx context.Context) {
	var r rushed
	var bare tally
	b.testbed.withEngine(ctx, func(e *engine) { r, bare = b.besideBareStarts(ctx, e) })
	want := float64(b.sizes.rush) / bare.rate()
	ratio := r.took.Seconds() / want
	b.table.add(row{
		measure:   fmt.Sprintf("%s charges at once, %d clients, until the last workflow runs", thousands(b.sizes.rush), rushClients),
		value:     fmt.Sprintf("%s, %d refused, answered after %s", short(r.took), r.refused, short(r.answered)),
		reference: fmt.Sprintf("bare starts %s: %.1fs", perSecond(bare.rate()), want),
		ratio:     ratioText(ratio), bar: fmt.Sprintf("0 refused, ratio ≤ %.1f", rushBar), met: r.refused == 0 && ratio <= rushBar,
	})
}

// besideBareStarts makes the rush, and bare starts before and after it.
func (b *bench) besideBareStarts(ctx context.Context, e *engine) (r rushed, bare tally) {
	starts := func() {
		b.started(ctx)
		e.idle(ctx)
		n, begun := int64(b.sizes.rush/bareShare), time.Now()
		fixture.Do(repeat(ctx, rushClients, n, func(ctx context.Context, _ int64) error { return startEmpty(ctx, e.client) }))
		bare.calls, bare.elapsed = bare.calls+n, bare.elapsed+time.Since(begun)
	}
	starts()
	e.idle(ctx)
	r = b.rush(ctx)
	starts()
	return r, bare
}

// rushed is what came of a rush.
type rushed struct {
	// answered is when the last creation was answered, took when the last workflow ran.
	answered, took time.Duration
	refused        int64
}

func (b *bench) rush(ctx context.Context) (r rushed) {
	begun := time.Now()
	var refused atomic.Int64
	fixture.Do(repeat(ctx, rushClients, int64(b.sizes.rush), func(ctx context.Context, n int64) error {
		if err := b.crowd.post(ctx, n); err != nil {
			if refused.Add(1) == 1 {
				fixture.Tellf("the first refusal: %v", err)
			}
		}
		return ctx.Err()
	}))
	r.answered, r.refused = time.Since(begun), refused.Load()
	b.started(ctx)
	r.took = time.Since(begun)
	return r
}
