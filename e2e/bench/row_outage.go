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

// sellMeanwhile makes charges at an even pace for the time of the outage, and pays some.
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
				fixture.Tellf("refused while Temporal is away: %v", err)
				return
			}
			all.expected = append(all.expected, event(outagePath, ourEvent, c.ID))
		})
	}
	selling.Wait()
	fixture.Do(errors.Join(ctx.Err(), <-paid))
	return all
}

// payMeanwhile makes a few charges and pays them.
func (s *shop) payMeanwhile(ctx context.Context, mu *sync.Mutex, all *sold) {
	charges := s.charges(ctx, outagePaid)
	fixture.Do(s.testbed.broadcast(ctx, s.sign(ctx, charges)))
	mu.Lock()
	defer mu.Unlock()
	for _, c := range charges {
		all.expected = append(all.expected, event(outagePath, ourEvent, c.ID), event(outagePath, "charge.pending", c.ID))
	}
}
