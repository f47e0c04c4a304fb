package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	outagePath = "/outage"
	// outagePaid is how many charges of each shop are paid while Temporal is away.
	outagePaid = 3
	// salesOfAShop is how many charges a shop makes meanwhile: an account may have 10,000
	// workflows waiting.
	salesOfAShop = 9_000
	// soon is how long after Temporal's return everything may be woken, and wokenBar how
	// much longer than bare starts that may take when there is more.
	soon     = time.Minute
	wokenBar = 2
	// lateAtMost is how long events are waited for.
	lateAtMost = 20 * time.Minute
	// bareAtMost is how many bare starts are timed.
	bareAtMost = 2_500
)

func (s sizes) outageSales() int { return int(s.outage.Seconds()) * s.sold }

func (s sizes) outageShops() int { return 1 + s.outageSales()/salesOfAShop }

func (s sizes) outageAddresses() int {
	return s.outageSales() + 30*s.sold + s.outageShops()*outagePaid
}

// outage takes Temporal away while shops sell: no creation may be refused, and once
// Temporal is back all that happened meanwhile must wake its workflows soon. Some of the
// charges are paid while it is away.
func (b *bench) outage(ctx context.Context) {
	w := b.testbed
	shops := make([]*shop, b.sizes.outageShops())
	for i := range shops {
		shops[i] = w.openShop(ctx, []string{ourEvent, "charge.pending"}, outagePath)
	}
	w.started(ctx)
	fixture.Do(w.Stack.StopPart(ctx, "temporal"))
	var sold sold
	fixture.Finally(func() { sold = b.sellMeanwhile(ctx, shops) }, func() error { return w.Stack.StartPart(ctx, "temporal") })
	returned := time.Now()
	w.woken(ctx)
	woken := time.Since(returned)
	last, missing := w.lastOf(ctx, sold.expected, returned)
	var bare tally
	w.withEngine(ctx, func(e *engine) { b.bareStarts(ctx, e, min(b.sizes.outageSales(), bareAtMost), &bare) })
	want := float64(b.sizes.outageSales()) / bare.rate()
	ratio := woken.Seconds() / want
	b.table.add(row{
		measure:   fmt.Sprintf("Temporal away for %s under %d creations a second: until all workflows are woken", b.sizes.outage, b.sizes.sold),
		value:     fmt.Sprintf("%s, %d refused; last of %d events after %s, %d not within %s", short(woken), sold.refused, len(sold.expected), short(last), missing, lateAtMost),
		reference: fmt.Sprintf("bare starts %s: %.1fs", perSecond(bare.rate()), want), ratio: ratioText(ratio),
		bar: fmt.Sprintf("0 refused, ≤ %s or ratio ≤ %d", soon, wokenBar),
		met: sold.refused == 0 && missing == 0 && (woken <= soon || ratio <= wokenBar),
	})
	fixture.Do(ctx.Err())
}

// woken waits until Temporal has all that the outbox holds.
func (w *testbed) woken(ctx context.Context) {
	fixture.Wait(ctx, "all workflows are woken", func() bool {
		return value[bool](ctx, w, "SELECT NOT EXISTS (SELECT 1 FROM wakeups)")
	})
}

// lastOf is how long after a moment the last of these events came, and how many did not.
func (w *testbed) lastOf(ctx context.Context, events []func(fixture.Request) bool, since time.Time) (last time.Duration, missing int) {
	waiting, cancel := context.WithTimeout(ctx, lateAtMost)
	defer cancel()
	for _, a := range events {
		got, err := w.Hooks.Await(waiting, a)
		if err != nil {
			missing++
		} else {
			last = max(last, got.At.Sub(since))
		}
	}
	return last, missing
}

// sold is what happened while Temporal was away.
type sold struct {
	expected []func(fixture.Request) bool
	refused  int
}

func (b *bench) sellMeanwhile(ctx context.Context, shops []*shop) (all sold) {
	end := time.Now().Add(b.sizes.outage)
	var mu sync.Mutex
	var selling sync.WaitGroup
	paid := make(chan error, 1)
	go func() {
		paid <- fixture.Try(func() {
			for _, s := range shops {
				s.payMeanwhile(ctx, &mu, &all)
			}
		})
	}()
	ticker := time.NewTicker(time.Second / time.Duration(b.sizes.sold))
	defer ticker.Stop()
	for n := 0; ctx.Err() == nil && time.Now().Before(end); n++ {
		<-ticker.C
		s := shops[n%len(shops)]
		selling.Go(func() {
			c, err := s.Sell(ctx, price)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				all.refused++
				fixture.Reportf("refused while Temporal is away: %v", err)
				return
			}
			all.expected = append(all.expected, event(outagePath, ourEvent, c.ID))
		})
	}
	selling.Wait()
	fixture.Do(errors.Join(ctx.Err(), <-paid))
	return all
}

func (s *shop) payMeanwhile(ctx context.Context, mu *sync.Mutex, all *sold) {
	charges := s.charges(ctx, outagePaid)
	fixture.Do(s.testbed.broadcast(ctx, s.sign(ctx, charges)))
	mu.Lock()
	defer mu.Unlock()
	for _, c := range charges {
		all.expected = append(all.expected, event(outagePath, ourEvent, c.ID), event(outagePath, "charge.pending", c.ID))
	}
}
