package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/durapay/durapay/e2e/fixture"
)

// restTrades are the open trades while calls are counted.
const restTrades = 10

// tradeRest counts the calls with few open trades, and those of the same worker
// without the daemons' publishers.
func (b *bench) tradeRest(ctx context.Context) error {
	if err := repeat(ctx, 1, restTrades, b.exchange.open); err != nil {
		return err
	}
	// The worker does not rely on a publisher before it has announced a deposit.
	if _, err := b.exchange.watchDeposits(ctx, 1, fixture.Monero, b.exchange.signMonero); err != nil {
		return err
	}
	calls, err := b.exchange.restingCalls(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	if err := b.exchange.listen(ctx, false); err != nil {
		return err
	}
	before, err := b.exchange.restingCalls(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	ratio := calls.perMinute / before.perMinute
	b.table.add(row{
		measure: fmt.Sprintf("exchange: wallet and daemon RPC calls a minute at rest, %d trades open", restTrades),
		value:   calls.String(), reference: "looking once a second: " + before.String(),
		ratio: ratioText(ratio), bar: "≤ a third", met: ratio <= restBar,
	})
	return b.exchange.listen(ctx, true)
}

// restingCalls listens to the exchange's wallets and daemons once no trade is on its way.
func (m *exchange) restingCalls(ctx context.Context, during time.Duration) (resting, error) {
	if err := m.settled(ctx); err != nil {
		return resting{}, err
	}
	return m.callsPerMinute(ctx, during)
}

// settled lets both chains grow until no trade is on its way and the exchange
// can spend all it has.
func (m *exchange) settled(ctx context.Context) error {
	for {
		var busy int
		err := m.db.QueryRow(ctx, `SELECT count(*) FROM trades
			WHERE status NOT IN ('awaiting_deposit', 'expired', 'completed', 'refunded', 'failed')`).Scan(&busy)
		if err != nil {
			return err
		}
		if busy == 0 {
			return errors.Join(m.Chain.Mine(ctx, sweepableBlocks), fixture.Pause(ctx, 3*time.Second)) // until that is seen
		}
		if err := m.mineBoth(ctx); err != nil {
			return err
		}
		if err := fixture.Pause(ctx, time.Second); err != nil {
			return fmt.Errorf("%d trades are on their way: %w", busy, err)
		}
	}
}
