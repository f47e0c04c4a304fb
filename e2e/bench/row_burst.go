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
	b.testbed.withEngine(ctx, func(e *engine) { r, bare = b.rushBetweenBareStarts(ctx, e) })
	want := float64(b.sizes.rush) / bare.rate()
	ratio := r.took.Seconds() / want
	b.table.add(row{
		measure:   fmt.Sprintf("%s charges at once, %d clients, until the last workflow runs", thousands(b.sizes.rush), rushClients),
		value:     fmt.Sprintf("%s, %d refused, answered after %s", short(r.took), r.refused, short(r.answered)),
		reference: fmt.Sprintf("bare starts %s: %.1fs", perSecond(bare.rate()), want),
		ratio:     ratioText(ratio), bar: fmt.Sprintf("0 refused, ratio ≤ %.1f", rushBar), met: r.refused == 0 && ratio <= rushBar,
	})
}

func (b *bench) rushBetweenBareStarts(ctx context.Context, e *engine) (r rushed, bare tally) {
	b.bareStarts(ctx, e, b.sizes.rush/bareShare, &bare)
	e.idle(ctx)
	r = b.rush(ctx)
	b.bareStarts(ctx, e, b.sizes.rush/bareShare, &bare)
	return r, bare
}

// bareStarts starts so many workflows that do nothing, once Temporal has no other work.
func (b *bench) bareStarts(ctx context.Context, e *engine, n int, to *tally) {
	b.testbed.started(ctx)
	e.idle(ctx)
	begun := time.Now()
	fixture.Do(repeat(ctx, rushClients, int64(n), func(ctx context.Context, _ int64) error {
		_, err := e.client.ExecuteWorkflow(ctx, newRun(), empty)
		return err
	}))
	to.calls, to.elapsed = to.calls+int64(n), to.elapsed+time.Since(begun)
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
				fixture.Reportf("the first refusal: %v", err)
			}
		}
		return ctx.Err()
	}))
	r.answered, r.refused = time.Since(begun), refused.Load()
	b.testbed.started(ctx)
	r.took = time.Since(begun)
	return r
}
