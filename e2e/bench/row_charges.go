package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The share of Temporal's own rate that is left to a charge.
const chargeBar = 0.6

// mostPerSecond is more charges than one machine of today makes.
const mostPerSecond = 400

func rateClients() []int { return []int{1, 8, 32} }

// rateAddresses bounds the addresses that chargeRates needs.
func (b *bench) rateAddresses() int {
	during := b.sizes.slice*time.Duration(b.sizes.rounds) + b.sizes.slice/4
	return int(during.Seconds()*mostPerSecond) * len(rateClients())
}

// chargeRates compares charges per second with Temporal's own rate.
func (b *bench) chargeRates(ctx context.Context) error {
	temporal, err := startChild(ctx, "temporal", b.fixture.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	return errors.Join(b.compareWithTemporal(ctx), temporal.stop())
}

func (b *bench) compareWithTemporal(ctx context.Context) error {
	c, err := dialTemporal(ctx, b.fixture.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	defer c.Close()
	bare := func(ctx context.Context, _ int64) error { return beginNothing(ctx, c) }
	// Temporal's own turns come first: what charges begin keeps it busy for longer than
	// their own turns last.
	alone := map[int]tally{}
	for _, clients := range rateClients() {
		own, err := b.sizes.rate(ctx, clients, bare)
		if err != nil {
			return err
		}
		alone[clients] = own
	}
	for _, clients := range rateClients() {
		own := alone[clients]
		ours, err := b.sizes.rate(ctx, clients, b.crowd.post)
		b.opened += ours.calls
		if err != nil {
			return err
		}
		ratio := ours.rate() / own.rate()
		b.table.add(row{
			measure: fmt.Sprintf("POST /api/charges, %d clients", clients),
			value:   perSecond(ours.rate()), reference: "Temporal alone " + perSecond(own.rate()),
			ratio: ratioText(ratio), bar: fmt.Sprintf("ratio ≥ %.1f", chargeBar), met: ratio >= chargeBar,
		})
	}
	return nil
}
