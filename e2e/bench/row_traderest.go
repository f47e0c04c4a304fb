package main

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// restTrades are the open trades of the calm measurement.
const restTrades = 10

func (b *bench) calmTradeRest(ctx context.Context) error {
	if err := b.pairSetup.openUntil(ctx, restTrades); err != nil {
		return err
	}
	var err error
	b.calm.tradeRest, err = b.pairSetup.callsPerMinute(ctx, b.sizes.rest)
	return err
}

func (b *bench) crowdedTradeRest(ctx context.Context) error {
	if b.calm.tradeRest == 0 {
		return errors.New("there is nothing to compare with")
	}
	calls, err := b.pairSetup.callsPerMinute(ctx, b.sizes.rest)
	if err != nil {
		return err
	}
	ratio := calls / b.calm.tradeRest
	b.table.add(row{
		measure: fmt.Sprintf("daemon and wallet RPC calls a minute at rest, %s trades open", thousands(b.sizes.trades)),
		value:   fmt.Sprintf("%.0f", calls), reference: fmt.Sprintf("with %d open: %.0f", restTrades, b.calm.tradeRest),
		ratio: ratioText(ratio), bar: "equal", met: ratio >= 1-restBar && ratio <= 1+restBar,
	})
	return nil
}

// callsPerMinute listens to the exchange's wallets and daemons while nothing
// happens.
func (m *pairSetup) callsPerMinute(ctx context.Context, during time.Duration) (float64, error) {
	if err := m.settled(ctx); err != nil {
		return 0, err
	}
	count := func() (sum int64) {
		for _, c := range m.counters {
			sum += c.calls.Load()
		}
		return sum
	}
	before, begun := count(), time.Now()
	if err := pause(ctx, during); err != nil {
		return 0, err
	}
	return float64(count()-before) / time.Since(begun).Minutes(), nil
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
