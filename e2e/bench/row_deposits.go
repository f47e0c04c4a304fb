package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
)

const (
	depositBar   = 500 * time.Millisecond
	depositPath  = "/deposits"
	depositEvent = "deposit_detected"
	// perDeposit is how many trades one transaction pays for.
	perDeposit = 2
	// moneroBlocks are mined for each Litecoin block: the outputs that the exchange
	// pays out of are locked for ten of them, and must not run out.
	moneroBlocks = 5
)

// deposits measures the time from a deposit in the pool until the partner is
// notified, on both chains.
func (b *bench) deposits(ctx context.Context) {
	for _, side := range []struct {
		coin string
		pay  payment
	}{{fixture.Monero, b.exchange.signMonero}, {fixture.Litecoin, b.exchange.payLitecoin}} {
		samples := b.exchange.watchDeposits(ctx, b.sizes.deposits, side.coin, side.pay)
		p99 := percentile(samples, 99)
		b.table.add(row{
			measure: fmt.Sprintf("%s deposit in the pool → %s", strings.ToUpper(side.coin), depositEvent),
			value:   spread(samples), bar: "p99 ≤ " + short(depositBar), met: p99 <= depositBar,
		})
	}
	b.exchange.settled(ctx)
}

// payment pays for trades, once the function that it returns is called.
type payment func(context.Context, []clients.Trade) func() error

// watchDeposits makes rounds of a deposit each. The block of a round confirms the
// deposits of earlier rounds, so that trades progress meanwhile.
func (m *exchange) watchDeposits(ctx context.Context, rounds int, coin string, build payment) []time.Duration {
	var all []time.Duration
	for round := range rounds {
		trades := make([]clients.Trade, perDeposit)
		for i := range trades {
			trades[i] = fixture.Must(m.trade(ctx, coin, depositPath))
		}
		begun := evenly(ctx, round, build(ctx, trades))
		for _, t := range trades {
			all = append(all, arrived(ctx, m.SafeHooks, fixture.SwapIs(t.ID, depositEvent)).Sub(begun))
		}
		m.mineBoth(ctx)
	}
	return all
}

// mineBoth adds blocks to both chains.
func (m *exchange) mineBoth(ctx context.Context) {
	fixture.Do(errors.Join(m.Chain.Mine(ctx, moneroBlocks), m.Coins.Mine(ctx, 1)))
}

// signMonero makes one transaction that pays for all trades; it is sent later.
func (m *exchange) signMonero(ctx context.Context, trades []clients.Trade) func() error {
	amount := fixture.Must(money.ParseXMR(tradeXMR))
	to := make([]fixture.Output, 0, len(trades))
	for _, t := range trades {
		to = append(to, fixture.Output{Address: t.Deposit, Amount: amount})
	}
	tx := fixture.Must(m.Customer.Sign(ctx, to...))
	return func() error { return m.broadcast(ctx, tx) }
}

// payLitecoin pays for one trade after the other: the daemon's wallet makes and
// sends a transaction in one call.
func (m *exchange) payLitecoin(ctx context.Context, trades []clients.Trade) func() error {
	return func() error {
		for _, t := range trades {
			if _, err := m.Pay(ctx, fixture.Litecoin, t.Deposit, money.MustDecimal(tradeLTC)); err != nil {
				return err
			}
		}
		return nil
	}
}
