package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/durapay/durapay/e2e/fixture"
)

// blockPause is the time between two blocks of either chain.
const blockPause = 2 * time.Second

// disturb has people pay, sweep, refund and trade while the stack is disturbed.
func (w *testbed) disturb(ctx context.Context, o options, t *tally) error {
	until := time.Now().Add(time.Duration(o.minutes * float64(time.Minute)))
	var watching sync.WaitGroup
	looking, end := context.WithCancel(ctx)
	watching.Go(func() { w.places.watch(looking) })
	defer watching.Wait()
	defer end()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.trouble(ctx, newRounds(o.seed), until, t) })
	group.Go(func() error { return w.mine(ctx, until) })
	group.Go(func() error { return w.xmr.run(ctx, until) })
	group.Go(func() error { return w.trader.trade(ctx, until) })
	for i, s := range w.shops {
		group.Go(func() error { return s.sell(ctx, until) })
		if i == len(w.shops)-1 {
			group.Go(func() error { return s.refund(ctx, newDice(o.seed, "refunds"), until) })
			continue
		}
		group.Go(func() error { return s.sweep(ctx, newDice(o.seed, fmt.Sprint("sweeper ", i)), until) })
	}
	return group.Wait()
}

// mine lets both chains grow; a dead daemon's does not.
func (w *testbed) mine(ctx context.Context, until time.Time) error {
	for time.Now().Before(until) {
		if err := w.mineBoth(ctx); err != nil && ctx.Err() != nil {
			return err
		}
		if err := fixture.Pause(ctx, blockPause); err != nil {
			return err
		}
	}
	return nil
}

func (w *testbed) mineBoth(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	return errors.Join(w.Chain.Mine(ctx, 1), w.mineLitecoin(ctx))
}

func (w *testbed) mineLitecoin(ctx context.Context) error {
	if !w.ltc.mining.TryLock() {
		return nil // it is killed, or hangs
	}
	defer w.ltc.mining.Unlock()
	return w.Coins.Mine(ctx, 1)
}
