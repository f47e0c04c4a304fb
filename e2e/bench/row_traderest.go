package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// restTrades are the open trades of the calm measurement.
const restTrades = 10

// calmTradeRest counts the calls with few open trades, and those of the same worker
// without the daemons' publishers.
func (b *bench) calmTradeRest(ctx context.Context) error {
	calls, err := b.fewTradesRest(ctx)
	if err != nil {
		return err
	}
	if err := b.pairSetup.listen(ctx, false); err != nil {
		return err
	}
	before, err := b.pairSetup.restingCalls(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	ratio := calls.perMinute / before.perMinute
	b.table.add(row{
		measure: fmt.Sprintf("exchange: wallet and daemon RPC calls a minute at rest, %d trades open", restTrades),
		value:   calls.String(), reference: "looking once a second: " + before.String(),
		ratio: ratioText(ratio), bar: "≤ a third", met: ratio <= restBar,
	})
	return b.pairSetup.listen(ctx, true)
}

func (b *bench) fewTradesRest(ctx context.Context) (resting, error) {
	if err := b.pairSetup.openUntil(ctx, restTrades); err != nil {
		return resting{}, err
	}
	// The worker does not rely on being told before it has been told of a deposit.
	if _, err := b.pairSetup.watchDeposits(ctx, 1, "XMR", b.pairSetup.buildXMR); err != nil {
		return resting{}, err
	}
	return b.pairSetup.restingCalls(ctx, b.sizes.rest)
}

// crowdedTradeRest compares the calls with many open trades to those with few.
func (b *bench) crowdedTradeRest(ctx context.Context) error {
	few, err := b.fewTradesRest(ctx)
	if err != nil {
		return err
	}
	if err := b.gatherTrades(ctx); err != nil {
		return err
	}
	calls, err := b.pairSetup.restingCalls(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	ratio := calls.perMinute / few.perMinute
	b.table.add(row{
		measure: fmt.Sprintf("exchange: wallet and daemon RPC calls a minute at rest, %s trades open", thousands(b.sizes.trades)),
		value:   calls.String(), reference: fmt.Sprintf("with %d open: %s", restTrades, few),
		ratio: ratioText(ratio), bar: "equal", met: ratio >= 1-sameRest && ratio <= 1+sameRest,
	})
	return nil
}

func (b *bench) crowdedTradeAddresses() int { return b.sizes.trades }

// restingCalls listens to the exchange's wallets and daemons once no trade is on its way.
func (m *pairSetup) restingCalls(ctx context.Context, during time.Duration) (resting, error) {
	if err := m.settled(ctx); err != nil {
		return resting{}, err
	}
	return m.callsPerMinute(ctx, during)
}

// settled lets both chains grow until no trade is on its way and the exchange
// can spend all it has.
func (m *pairSetup) settled(ctx context.Context) error {
	for {
		var busy int
		err := m.db.QueryRow(ctx, `SELECT count(*) FROM trades
			WHERE status NOT IN ('awaiting_deposit', 'expired', 'completed', 'refunded', 'failed')`).Scan(&busy)
		if err != nil {
			return err
		}
		if busy == 0 {
			return errors.Join(m.chain.Mine(ctx, unlockBlocks), pause(ctx, 3*time.Second)) // until that is seen
		}
		if err := m.mine(ctx); err != nil {
			return err
		}
		if err := pause(ctx, time.Second); err != nil {
			return fmt.Errorf("%d trades are on their way: %w", busy, err)
		}
	}
}
