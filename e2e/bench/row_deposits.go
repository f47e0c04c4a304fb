package main

import (
	"context"
	"fmt"
	"time"

	"github.com/durapay/durapay/internal/monero"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

const (
	depositBar   = 500 * time.Millisecond
	depositPath  = "/deposits"
	depositEvent = "deposit_detected"
	// perDeposit is how many trades one transaction pays for.
	perDeposit = 2
	// moneroBlocks are mined for each Litecoin block: what the exchange
	// pays out of is locked for ten of them, and must not run out.
	moneroBlocks = 5
)

func (b *bench) calmDeposits(ctx context.Context) error { return b.deposits(ctx, 0) }

func (b *bench) crowdedDeposits(ctx context.Context) error {
	if err := b.gatherTrades(ctx); err != nil {
		return err
	}
	return b.deposits(ctx, b.sizes.trades)
}

// depositAddresses is how many Litecoin addresses the deposits need.
func (b *bench) depositAddresses() int { return b.sizes.deposits * perDeposit }

func (b *bench) crowdedDepositAddresses() int { return b.depositAddresses() + b.sizes.trades }

// deposits measures the time from a deposit in the pool to the partner who is
// told of it, on both chains.
func (b *bench) deposits(ctx context.Context, open int) error {
	for _, side := range []struct {
		coin string
		pay  func(context.Context, []made) (func() error, error)
	}{{"XMR", b.pairSetup.buildXMR}, {"LTC", b.pairSetup.buildLTC}} {
		samples, err := b.pairSetup.watchDeposits(ctx, b.sizes.deposits, side.coin, side.pay)
		if err != nil {
			return err
		}
		p99 := percentile(samples, 99)
		b.table.add(row{
			measure: fmt.Sprintf("%s deposit in the pool → %s, %s trades open", side.coin, depositEvent, thousands(open)),
			value:   spread(samples), bar: "p99 ≤ " + short(depositBar), met: p99 <= depositBar,
		})
	}
	return b.pairSetup.settled(ctx)
}

// watchDeposits makes rounds of a deposit each; its block confirms those of the
// rounds before, so that trades go on meanwhile.
func (m *pairSetup) watchDeposits(
	ctx context.Context, rounds int, coin string, build func(context.Context, []made) (func() error, error),
) ([]time.Duration, error) {
	var all []time.Duration
	for round := range rounds {
		trades := make([]made, perDeposit)
		for i := range trades {
			var err error
			if trades[i], err = m.trade(ctx, map[string]string{"XMR": "xmr", "LTC": "ltc"}[coin], depositPath); err != nil {
				return nil, err
			}
		}
		send, err := build(ctx, trades)
		if err != nil {
			return nil, err
		}
		begun, err := evenly(ctx, round, send)
		if err != nil {
			return nil, err
		}
		for _, t := range trades {
			at, err := m.inbox.await(ctx, arrival{depositPath, depositEvent, t.ID})
			if err != nil {
				return nil, err
			}
			all = append(all, at.Sub(begun))
		}
		if err := m.mine(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// mine adds blocks to both chains.
func (m *pairSetup) mine(ctx context.Context) error {
	if err := m.chain.Mine(ctx, moneroBlocks); err != nil {
		return err
	}
	return m.ltc.Mine(ctx, 1)
}

// buildXMR makes one transaction that pays for all trades; it is sent later.
func (m *pairSetup) buildXMR(ctx context.Context, trades []made) (func() error, error) {
	tx, err := m.depositXMR(ctx, trades)
	return func() error { return m.payer.send(ctx, tx) }, err
}

// depositXMR is one transaction that pays for all of them, not sent yet.
func (m *pairSetup) depositXMR(ctx context.Context, trades []made) (monero.BuiltTx, error) {
	amount, err := money.ParseXMR(tradeXMR)
	if err != nil {
		return monero.BuiltTx{}, err
	}
	to := make([]monero.Destination, 0, len(trades))
	for _, t := range trades {
		to = append(to, monero.Destination{Address: t.Deposit, Amount: amount})
	}
	return m.payer.buildTo(ctx, to)
}

// buildLTC pays for one trade after the other: the daemon's wallet makes and
// sends a transaction in one call.
func (m *pairSetup) buildLTC(ctx context.Context, trades []made) (func() error, error) {
	amount, err := utxo.ParseAmount(tradeLTC)
	return func() error {
		for _, t := range trades {
			if _, err := m.ltc.Pay(ctx, t.Deposit, amount); err != nil {
				return err
			}
		}
		return nil
	}, err
}
