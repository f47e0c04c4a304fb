package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A look more or less at the edges of the time listened is not a difference.
const restBar = 0.05

func (b *bench) calmRest(ctx context.Context) error {
	const few = 10
	if err := repeat(ctx, 1, few, b.crowd.post); err != nil {
		return err
	}
	b.opened += few
	var err error
	b.calm.rest, err = b.callsPerMinute(ctx)
	return err
}

func (b *bench) crowdedRest(ctx context.Context) error {
	if b.calm.rest == 0 {
		return errors.New("there is nothing to compare with")
	}
	calls, err := b.callsPerMinute(ctx)
	if err != nil {
		return err
	}
	ratio := calls / b.calm.rest
	b.table.add(row{
		measure: fmt.Sprintf("wallet RPC calls a minute at rest, %s open", thousands(b.sizes.open)),
		value:   fmt.Sprintf("%.0f", calls), reference: fmt.Sprintf("with 10 open: %.0f", b.calm.rest),
		ratio: ratioText(ratio), bar: "equal", met: ratio >= 1-restBar && ratio <= 1+restBar,
	})
	return nil
}

// callsPerMinute listens to the live wallet while nothing happens.
func (b *bench) callsPerMinute(ctx context.Context) (float64, error) {
	if err := pause(ctx, 3*time.Second); err != nil { // until what came before is done
		return 0, err
	}
	count := func() int64 { return b.fixture.watch.calls.Load() + b.fixture.spend.calls.Load() }
	before, begun := count(), time.Now()
	if err := pause(ctx, b.sizes.rest); err != nil {
		return 0, err
	}
	return float64(count()-before) / time.Since(begun).Minutes(), nil
}
