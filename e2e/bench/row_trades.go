package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// tradeBar is the rate of trades, which wait for no workflow, as a multiple of Temporal's own.
const tradeBar = 1.5

// tradeRates compares trades per second with Temporal's own rate.
func (b *bench) tradeRates(ctx context.Context) error {
	e, err := b.exchange.openEngine(ctx)
	if err != nil {
		return err
	}
	return errors.Join(b.compareTrades(ctx, e), e.stop())
}

func (b *bench) compareTrades(ctx context.Context, e *engine) error {
	settle := func(ctx context.Context) error { return errors.Join(b.exchange.started(ctx), e.idle(ctx)) }
	for _, clients := range rateClients() {
		c, err := b.sizes.inTurns(ctx, clients, settle, e.begin, b.exchange.open)
		if err != nil {
			return err
		}
		b.table.add(c.row(fmt.Sprintf("GET /api/v1/new_trade, %d clients", clients), "Temporal alone", 0, tradeBar))
	}
	return nil
}

// tradeAddresses bounds the deposit addresses that tradeRates needs.
func (b *bench) tradeAddresses() int {
	during := b.sizes.slice*time.Duration(b.sizes.rounds) + b.sizes.slice/4
	return int(during.Seconds()*mostTrades) * len(rateClients())
}

// mostTrades is more trades a second than one machine of today makes.
const mostTrades = 250
