package main

import (
	"context"
	"errors"
	"fmt"
)

// tradeBar is the share of Temporal's own rate that is left to a trade.
const tradeBar = 0.5

// tradeRates compares trades per second with Temporal's own rate.
func (b *bench) tradeRates(ctx context.Context) error {
	temporal, err := startChild(ctx, "temporal", b.pairSetup.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	return errors.Join(b.compareTrades(ctx), temporal.stop())
}

func (b *bench) compareTrades(ctx context.Context) error {
	c, err := dialTemporal(ctx, b.pairSetup.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	defer c.Close()
	bare := func(ctx context.Context, _ int64) error { return beginNothing(ctx, c) }
	for _, clients := range rateClients() {
		own, ours, err := inTurns(ctx, b.sizes, clients, bare, b.pairSetup.open)
		b.pairSetup.opened += ours.calls
		if err != nil {
			return err
		}
		ratio := ours.rate() / own.rate()
		b.table.add(row{
			measure: fmt.Sprintf("GET /api/v1/new_trade, %d clients", clients),
			value:   perSecond(ours.rate()), reference: "Temporal alone " + perSecond(own.rate()),
			ratio: ratioText(ratio), bar: fmt.Sprintf("ratio ≥ %.1f", tradeBar), met: ratio >= tradeBar,
		})
	}
	return nil
}
