package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// tradeBar is the share of Temporal's own rate that is left to a trade.
const tradeBar = 0.9

// tradeRates compares trades per second with Temporal's own rate.
func (b *bench) tradeRates(ctx context.Context) error {
	e, err := b.exchange.openEngine(ctx)
	if err != nil {
		return err
	}
	return errors.Join(b.compareTrades(ctx, e), e.stop())
}

func (b *bench) compareTrades(ctx context.Context, e *engine) error {
	for _, clients := range rateClients() {
		c, err := b.sizes.inTurns(ctx, clients, e.idle, e.begin, b.exchange.open)
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
