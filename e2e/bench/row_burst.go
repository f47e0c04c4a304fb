package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/client"

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
	starts := func() {
		b.testbed.started(ctx)
		e.idle(ctx)
		n, begun := int64(b.sizes.rush/bareShare), time.Now()
		fixture.Do(repeat(ctx, rushClients, n, func(ctx context.Context, _ int64) error {
			_, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "bench-" + rand.Text(), TaskQueue: temporalQueue}, empty)
			return err
		}))
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

const (
	outagePath = "/outage"
	// outagePerSecond is how many charges are made while Temporal is away.
	outagePerSecond = 20
	// outagePaid is how many charges are paid meanwhile.
	outagePaid = 3
	// lateBar is how long after Temporal's return the last event may come.
	lateBar = 10 * time.Second
	// lateAtMost is how long events are waited for.
	lateAtMost = 3 * time.Minute
)

// outage takes Temporal away while a shop sells: no creation may be refused, and once
// Temporal is back the events of all that happened meanwhile must come soon. Some of
// the charges are paid while it is away.
func (b *bench) outage(ctx context.Context) {
	w := b.testbed
	s := w.openShop(ctx, []string{ourEvent, "charge.pending"}, outagePath)
	w.started(ctx)
	fixture.Do(w.Stack.StopPart(ctx, "temporal"))
	var sold sold
	fixture.Finally(func() { sold = b.sellMeanwhile(ctx, s) }, func() error { return w.Stack.StartPart(ctx, "temporal") })
	returned := time.Now()
	waiting, cancel := context.WithTimeout(ctx, lateAtMost)
	defer cancel()
	last, missing := returned, 0
	for _, a := range sold.expected {
		got, err := w.Hooks.Await(waiting, a)
		if err != nil {
			missing++
		} else if got.At.After(last) {
			last = got.At
		}
	}
	late := last.Sub(returned)
	b.table.add(row{
		measure: fmt.Sprintf("Temporal away for %s under %d creations a second: the last event after its return", b.sizes.outage, outagePerSecond),
		value:   fmt.Sprintf("%s, %d refused", short(late), sold.refused), reference: fmt.Sprintf("%d events, %d not within %s", len(sold.expected), missing, lateAtMost),
		bar: fmt.Sprintf("0 refused, ≤ %s", lateBar), met: sold.refused == 0 && missing == 0 && late <= lateBar,
	})
	fixture.Do(ctx.Err())
}

// sold is what happened while Temporal was away.
type sold struct {
	expected []func(fixture.Request) bool
	refused  int
}

func (b *bench) sellMeanwhile(ctx context.Context, s *shop) (all sold) {
	end := time.Now().Add(b.sizes.outage)
	var mu sync.Mutex
	var selling sync.WaitGroup
	paid := make(chan error, 1)
	go func() { paid <- fixture.Try(func() { s.payMeanwhile(ctx, &mu, &all) }) }()
	ticker := time.NewTicker(time.Second / outagePerSecond)
	defer ticker.Stop()
	for ctx.Err() == nil && time.Now().Before(end) {
		<-ticker.C
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
