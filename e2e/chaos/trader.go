package main

import (
	"context"
	"sync"
	"time"

	"github.com/durapay/durapay/e2e/clients"
	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/utxo"
)

type trader struct {
	testbed *testbed
	client  clients.Partner
	dice    dice

	mu    sync.Mutex
	deals []*deal
}

// deal is a trade that the exchange said it made.
type deal struct {
	clients.Trade

	from, to string
	amount   money.Decimal
	// payee and refund are the customer's two addresses.
	payee, refund fixture.Payee
}

const (
	// leastDeposit and mostDeposit are in hundredths of a coin.
	leastDeposit = 10
	mostDeposit  = 60
	// depositedShare of the trades get a deposit.
	depositedShare = 0.85
	tradesPath     = "/trades"
)

func (r *trader) trade(ctx context.Context, until time.Time) {
	for time.Now().Before(until) {
		pair := some(r.dice, 2, []string{fixture.Monero, fixture.Litecoin})
		amount := money.FromAtomic(uint64(leastDeposit+r.dice.Int64N(mostDeposit-leastDeposit)), 2)
		paid := r.dice.Float64() < depositedShare
		fixture.Do(fixture.Pause(ctx, r.dice.between(2*time.Second, 8*time.Second)))
		d, err := r.ask(ctx, pair[0], pair[1], amount)
		if err != nil {
			continue // nothing was promised
		}
		r.mu.Lock()
		r.deals = append(r.deals, d)
		r.mu.Unlock()
		if paid {
			r.deposit(ctx, d)
		}
	}
}

func (r *trader) ask(ctx context.Context, from, to string, amount money.Decimal) (*deal, error) {
	d := &deal{from: from, to: to, amount: amount}
	var err error
	if d.payee, err = r.testbed.NewPayee(ctx, to); err != nil {
		return nil, err
	}
	if d.refund, err = r.testbed.NewPayee(ctx, from); err != nil {
		return nil, err
	}
	answer, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	d.Trade, err = r.client.Trade(answer, clients.Order{
		Pair: clients.Pair{From: from, To: to}, Amount: amount, Provider: "durapay",
		Address: d.payee.Address, Refund: d.refund.Address, Webhook: r.testbed.SafeHooks.URL(tradesPath),
	})
	return d, err
}

// deposit pays the announced amount. It only reports a payment that fails.
func (r *trader) deposit(ctx context.Context, d *deal) {
	if d.from == fixture.Litecoin {
		amount, err := utxo.ParseAmount(d.amount.String())
		if err == nil {
			err = r.testbed.ltc.pay(ctx, d.Deposit, amount)
		}
		if err != nil {
			fixture.Reportf("a deposit was not made: %v", err)
		}
		return
	}
	amount, err := money.PiconeroFromXMR(d.amount)
	if err == nil {
		r.testbed.xmr.pay(d.Deposit, amount)
	}
}
