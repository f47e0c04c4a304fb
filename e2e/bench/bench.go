package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// bench is one run.
type bench struct {
	sizes   sizes
	rows    map[string]bool
	table   table
	fixture *fixture
	// pairSetup is the stack of the exchange, up after the merchants' is down.
	pairSetup *pairSetup
	// crowd is the merchant of the other open charges.
	crowd *shop
	// opened is how many charges the crowd has.
	opened int64
	// calm are the results with nothing else open.
	calm struct {
		payments        waits
		rest, tradeRest float64
	}
}

// step is one measurement. Those of a name are chosen together.
type step struct {
	name string
	do   func(*bench, context.Context) error
}

// merchantSteps are in the order in which they are made: first those that want
// few open charges.
func merchantSteps() []step {
	return []step{
		{"payments", (*bench).calmPayments},
		{"rest", (*bench).calmRest},
		{"charges", (*bench).chargeRates},
		{"invoices", (*bench).invoices},
		{"neighbour", (*bench).neighbour},
		{crowdStep, (*bench).gather},
		{"payments", (*bench).crowdedPayments},
		{"rest", (*bench).crowdedRest},
		{"memory", (*bench).memory},
		{"sweep", (*bench).sweep},
		{"webhooks", (*bench).webhooks},
		{"transitions", (*bench).transitions},
		{"dialects", (*bench).dialects},
		{"strangers", (*bench).strangers},
		{"public", (*bench).publicReads},
		{"limiter", (*bench).limiter},
		{"fanout", (*bench).fanout},
		{"login", (*bench).logins},
		{"report", (*bench).reports},
		{"prune", (*bench).pruning},
		{"lists", (*bench).lists},
		{"scan", (*bench).scan},
	}
}

// exchangeSteps are those of the exchange, in the same way.
func exchangeSteps() []step {
	return []step{
		{"deposits", (*bench).calmDeposits},
		{"trade-rest", (*bench).calmTradeRest},
		{"quotes", (*bench).calmQuotes},
		{"trades", (*bench).tradeRates},
		{crowdStep, (*bench).gatherTrades},
		{"trade-rest", (*bench).crowdedTradeRest},
		{"quotes", (*bench).crowdedQuotes},
		{"deposits", (*bench).crowdedDeposits},
		{"spam", (*bench).spam},
	}
}

// crowdStep is made for others and chosen with them.
const crowdStep = "crowd"

// names are those that can be chosen.
func names() []string {
	var list []string
	for _, s := range slices.Concat(merchantSteps(), exchangeSteps()) {
		if s.name != crowdStep && !slices.Contains(list, s.name) {
			list = append(list, s.name)
		}
	}
	return list
}

// crowded says whether a chosen row wants many open charges, tradesCrowded
// many open trades.
func (b *bench) crowded() bool { return b.rows["payments"] || b.rows["rest"] || b.rows["memory"] }

func (b *bench) tradesCrowded() bool {
	return b.rows["trade-rest"] || b.rows["quotes"] || b.rows["deposits"]
}

// run makes the chosen measurements, those of the merchants first. One that
// fails does not keep the others from being made.
func (b *bench) run(ctx context.Context, dir string) error {
	return errors.Join(
		b.runOn(ctx, dir, "merchants", merchantSteps(), b.crowded(), b.openMerchants),
		b.runOn(ctx, dir, "exchange", exchangeSteps(), b.tradesCrowded(), b.openExchangeStack))
}

// runOn makes the chosen steps on a stack that is started for them.
func (b *bench) runOn(
	ctx context.Context, dir, name string, steps []step, crowded bool, openFixture func(context.Context, string) (*fixture, error),
) error {
	steps = slices.DeleteFunc(steps, func(s step) bool { return !b.rows[s.name] && (s.name != crowdStep || !crowded) })
	if len(steps) == 0 {
		return nil
	}
	home, err := homeOf(dir, name)
	if err != nil {
		return err
	}
	w, err := openFixture(ctx, home)
	if w.stack != nil {
		defer func() {
			if err := w.stop(dir != ""); err != nil {
				progressf("stopping the stack: %v", err)
			}
		}()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	var failures []error
	for _, s := range steps {
		begun := time.Now()
		if err := s.do(b, ctx); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", s.name, err))
			progressf("%s failed: %v", s.name, err)
		}
		progressf("%s took %s", s.name, time.Since(begun).Round(time.Second))
	}
	return errors.Join(failures...)
}

// homeOf is the directory of a stack: a part of the one that is kept, or a
// temporary one.
func homeOf(dir, name string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "durapay-bench-")
	}
	home := filepath.Join(dir, name)
	return home, os.MkdirAll(home, 0o755) //nolint:gosec // the database has another user
}

func (b *bench) openMerchants(ctx context.Context, dir string) (*fixture, error) {
	w, err := openFixture(ctx, dir, b.addresses())
	if err != nil {
		return w, err
	}
	b.fixture = w
	b.crowd, err = w.openShop(ctx, nil)
	return w, err
}

func (b *bench) openExchangeStack(ctx context.Context, dir string) (*fixture, error) {
	var err error
	b.pairSetup, err = openPair(ctx, dir, b.watchedAddresses(), b.depositAddresses())
	return b.pairSetup.fixture, err
}

// spare are addresses beyond those of the crowd.
const spare = 400

// addresses is how many the chosen rows need.
func (b *bench) addresses() int {
	n := spare
	if b.rows["payments"] {
		n += 2 * b.sizes.payments * b.sizes.perPayment
	}
	if b.rows["charges"] {
		n += b.rateAddresses()
	}
	if b.rows["neighbour"] {
		n += b.neighbourAddresses()
	}
	if b.crowded() {
		n += b.sizes.open
	}
	if b.rows["sweep"] {
		n += sweepRounds * b.sizes.sweep
	}
	if b.rows["webhooks"] {
		n += b.webhookAddresses()
	}
	if b.rows["invoices"] {
		n += b.invoiceAddresses()
	}
	if b.rows["dialects"] {
		n += b.dialectAddresses()
	}
	if b.rows["strangers"] {
		n += b.strangerAddresses()
	}
	if b.rows["limiter"] {
		n += publicCharges
	}
	if b.rows["scan"] {
		n += scanCharges
	}
	if b.rows["prune"] {
		n += b.sizes.creations + int(pruneTime.Seconds())
	}
	return n
}

// gather opens charges until there are as many as the crowded rows want.
func (b *bench) gather(ctx context.Context) error {
	missing := int64(b.sizes.open) - b.opened
	if missing <= 0 {
		return nil
	}
	progressf("opening %s charges", thousands(int(missing)))
	begun := time.Now()
	err := repeat(ctx, gatherClients, missing, b.crowd.post)
	b.opened += missing
	progressf("%s charges were opened in %s", thousands(int(missing)), time.Since(begun).Round(time.Second))
	return err
}

const gatherClients = 16

// gatherTrades is gather for trades.
func (b *bench) gatherTrades(ctx context.Context) error {
	return b.pairSetup.openUntil(ctx, int64(b.sizes.trades))
}

// watchedAddresses is how many addresses of each coin the watchers make: Monero
// has no others, and the deposits are measured twice.
func (b *bench) watchedAddresses() int {
	return spareWatched + 2*b.sizes.deposits*perDeposit + 2*b.sizes.spamRounds
}

// spareWatched are addresses beyond those of the deposits.
const spareWatched = 20

// depositAddresses is how many Litecoin addresses the chosen rows need.
func (b *bench) depositAddresses() int {
	n := spare
	if b.rows["trades"] {
		n += b.rateAddresses()
	}
	if b.rows["deposits"] {
		n += 2 * b.sizes.deposits * perDeposit
	}
	if b.tradesCrowded() {
		n += b.sizes.trades
	}
	if b.rows["spam"] {
		n += 2*b.sizes.spamRounds + 1
	}
	return n
}
