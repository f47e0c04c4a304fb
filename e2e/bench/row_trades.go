package main

import (
	"context"
	"errors"
	"fmt"
)

// tradeBar is the share of the engine's own rate that is left to a trade.
const tradeBar = 0.5

// tradeRates compares trades per second with the engine's own rate.
func (b *bench) tradeRates(ctx context.Context) error {
	engine, err := startChild(ctx, "engine", b.market.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	return errors.Join(b.compareTrades(ctx), engine.stop())
}

func (b *bench) compareTrades(ctx context.Context) error {
	c, err := dialEngine(ctx, b.market.urls["TEMPORAL_ADDRESS"])
	if err != nil {
		return err
	}
	defer c.Close()
	bare := func(ctx context.Context, _ int64) error { return beginNothing(ctx, c) }
	for _, clients := range rateClients() {
		own, ours, err := inTurns(ctx, b.sizes, clients, bare, b.market.open)
		b.market.opened += ours.calls
		if err != nil {
			return err
		}
		ratio := ours.rate() / own.rate()
		b.table.add(row{
			measure: fmt.Sprintf("GET /api/v1/new_trade, %d clients", clients),
			value:   perSecond(ours.rate()), reference: "engine alone " + perSecond(own.rate()),
			ratio: ratioText(ratio), bar: fmt.Sprintf("ratio ≥ %.1f", tradeBar), met: ratio >= tradeBar,
		})
	}
	return nil
}
