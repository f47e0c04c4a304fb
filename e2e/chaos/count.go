package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/books"
)

// settle lets the chains grow until nothing is wrong any more, or the time is
// over. Whatever is wrong then stays so.
func (w *world) settle(ctx context.Context, patience time.Duration, t *tally) ([]books.Fault, error) {
	for deadline := time.Now().Add(patience); ; {
		if err := w.mineBoth(ctx); err != nil {
			return nil, err
		}
		faults, err := w.count(ctx, t)
		if err == nil && len(faults) == 0 || time.Now().After(deadline) {
			return faults, err
		}
		if err != nil {
			tellf("counting: %v", err)
		} else {
			tellf("%d things do not agree yet, as %s", len(faults), faults[0])
		}
		if err := pause(ctx, blockPause); err != nil {
			return nil, err
		}
	}
}

// count compares everything once.
func (w *world) count(ctx context.Context, t *tally) ([]books.Fault, error) {
	xmr, err := w.xmr.arrived(ctx)
	if err != nil {
		return nil, err
	}
	ltc, err := w.ltc.arrived(ctx)
	if err != nil {
		return nil, err
	}
	addresses := owners{}
	var faults []books.Fault
	made := map[string]int{}
	for _, s := range w.shops {
		c := &counter{world: w, xmr: xmr, ltc: ltc, addresses: addresses, made: made}
		if err := c.shop(ctx, s); err != nil {
			return nil, err
		}
		faults = append(faults, c.faults...)
	}
	c := &counter{world: w, xmr: xmr, ltc: ltc, addresses: addresses, made: made}
	if err := c.trades(ctx, w.trader); err != nil {
		return nil, err
	}
	for _, what := range doings() {
		t.did(what, made[what])
	}
	return append(faults, c.faults...), nil
}

// owners are whom an address was given to.
type owners map[string]string

// counter collects what does not agree.
type counter struct {
	world     *world
	xmr       map[string]arrivedXMR
	ltc       map[string]arrivedLTC
	addresses owners
	made      map[string]int
	faults    []books.Fault
}

func (c *counter) add(kind books.Kind, subject, format string, args ...any) {
	c.faults = append(c.faults, books.Fault{Kind: kind, Subject: subject, What: fmt.Sprintf(format, args...)})
}

// give notes that an address is somebody's.
func (c *counter) give(address, owner string) {
	if other, taken := c.addresses[address]; taken && other != owner {
		c.add(books.AddressTwice, owner, "%s is that of %s", address, other)
	}
	c.addresses[address] = owner
}
