package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/books"
	"github.com/durapay/durapay/e2e/fixture"
)

// buried is how many blocks are made between two counts: a payment is confirmed after two.
const buried = 3

// settle lets the chains grow until there are no more faults, or the time is over.
// The faults that it then returns are permanent.
func (w *testbed) settle(ctx context.Context, patience time.Duration, t *tally) ([]books.Fault, error) {
	for deadline := time.Now().Add(patience); ; {
		for range buried {
			if err := w.mineBoth(ctx); err != nil {
				fixture.Tellf("mining: %v", err)
			}
		}
		if err := w.supervise(ctx, t); err != nil {
			return nil, err
		}
		faults, err := w.count(ctx, t)
		if err == nil && len(faults) == 0 || time.Now().After(deadline) {
			return faults, err
		}
		if err != nil {
			fixture.Tellf("counting: %v", err)
		} else {
			fixture.Tellf("%d things do not agree yet, as %s", len(faults), faults[0])
		}
		if err := fixture.Pause(ctx, blockPause); err != nil {
			return nil, err
		}
	}
}

// count compares everything once.
func (w *testbed) count(ctx context.Context, t *tally) ([]books.Fault, error) {
	c := &counter{testbed: w, addresses: owners{}, made: map[string]int{}}
	if err := c.readChains(ctx); err != nil {
		return nil, err
	}
	for _, s := range w.shops {
		if err := c.shop(ctx, s); err != nil {
			return nil, err
		}
	}
	if err := c.trades(ctx, w.trader); err != nil {
		return nil, err
	}
	if err := c.rows(ctx); err != nil {
		return nil, err
	}
	for _, what := range doings() {
		t.did(what, c.made[what])
	}
	return c.faults, nil
}

// owners are whom an address was given to.
type owners map[string]string

// counter collects the faults.
type counter struct {
	testbed *testbed
	// xmr and ltc are what the services got, by address.
	xmr map[string]arrivedXMR
	ltc map[string]arrivedLTC
	// paid is what the services' customers got.
	paid      fixture.Arrivals
	addresses owners
	made      map[string]int
	faults    []books.Fault
}

func (c *counter) readChains(ctx context.Context) error {
	w := c.testbed
	var err error
	if c.xmr, err = w.xmr.arrived(ctx); err != nil {
		return err
	}
	if c.ltc, err = w.ltc.arrived(ctx); err != nil {
		return err
	}
	c.paid, err = w.Arrivals(ctx)
	return err
}

func (c *counter) addf(kind books.Kind, subject, format string, args ...any) {
	c.faults = append(c.faults, books.Fault{Kind: kind, Subject: subject, What: fmt.Sprintf(format, args...)})
}

func (c *counter) give(address, owner string) {
	if other, taken := c.addresses[address]; taken && other != owner {
		c.addf(books.AddressTwice, owner, "%s is that of %s", address, other)
	}
	c.addresses[address] = owner
}
