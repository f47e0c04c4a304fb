package main

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/e2e/fixture"
)

const (
	// insertBar is the share of a bare handler's rate that is left to a charge.
	insertBar = 0.6
	// engineBar is how many times Temporal's own rate that is, at engineClients.
	engineBar     = 3.0
	engineClients = 8
	bareWriter    = "the same rows by net/http and pgx alone"
)

func rateClients() []int { return []int{1, 8, 32} }

// rateAddresses bounds the addresses that chargeRates needs.
func (s sizes) rateAddresses() (n int) {
	for _, clients := range append(rateClients(), engineClients) {
		n += int(s.turns().Seconds() * float64(min(300*clients, 900))) // more than one machine of today makes
	}
	return n
}

// chargeRates compares charges per second with a handler that inserts the same rows in
// one transaction and does nothing else, and with Temporal's own rate of starts that are
// answered by a workflow that does nothing.
func (b *bench) chargeRates(ctx context.Context) {
	bare := b.testbed.openShop(ctx, nil)
	// The reference inserts its wakeups where no worker reads them.
	fixture.Must(b.testbed.db.Exec(ctx, "CREATE TABLE IF NOT EXISTS bench_starts (LIKE wakeups INCLUDING ALL)"))
	fixture.Finally(func() {
		beside(ctx, []string{"writer", b.testbed.URLs["DATABASE_URL"], bare.id()}, func(writer string) {
			b.testbed.withEngine(ctx, func(e *engine) { b.compareCharges(ctx, writer, e) })
		})
	}, func() error { return fixture.Try(func() { b.testbed.forget(ctx, bare.id()) }) })
}

func (b *bench) compareCharges(ctx context.Context, writer string, e *engine) {
	bare := func(ctx context.Context, _ int64) error { return b.testbed.postTo(ctx, writer+"/charges", "") }
	settle := func(ctx context.Context) { b.started(ctx); e.idle(ctx) }
	for _, clients := range rateClients() {
		sides := []work{bare, b.crowd.post}
		if clients == engineClients {
			sides = append(sides, e.begin)
		}
		c := b.sizes.inTurns(ctx, clients, settle, sides...)
		b.table.add(c.row(fmt.Sprintf("POST /api/charges, %d clients", clients), bareWriter, 0, insertBar))
		if clients != engineClients {
			continue
		}
		b.table.add(c.row(fmt.Sprintf("POST /api/charges, %d clients, beside Temporal", clients), "Temporal alone", 2, engineBar))
		b.chargesAlone(ctx, bare)
	}
}

// chargesAlone measures the rate while Temporal is paused and so no workflow is started.
// The starts follow each creation on the same machine: the difference is their cost.
func (b *bench) chargesAlone(ctx context.Context, bare work) {
	fixture.Do(b.testbed.Stack.Pause("temporal"))
	var c comparison
	fixture.Finally(func() { c = b.sizes.inTurns(ctx, engineClients, nil, bare, b.crowd.post) },
		func() error { return b.testbed.Stack.Resume("temporal") })
	b.started(ctx)
	b.table.add(c.row(fmt.Sprintf("POST /api/charges, %d clients, while no workflow is started", engineClients), bareWriter, 0, insertBar))
}

// started returns once all charges have their workflows.
func (b *bench) started(ctx context.Context) { b.testbed.started(ctx) }

func (w *testbed) started(ctx context.Context) {
	fixture.Wait(ctx, "new rows have their workflows", func() bool {
		return value[bool](ctx, w, "SELECT NOT EXISTS (SELECT 1 FROM wakeups WHERE version = 0)")
	})
}

// forget removes the charges that the reference inserted; no workflow knows them.
func (w *testbed) forget(ctx context.Context, merchantID string) {
	for _, sql := range []string{
		"DELETE FROM charges WHERE merchant_id = $1", "DELETE FROM events WHERE merchant_id = $1",
		"DELETE FROM bench_starts WHERE owner = $1",
	} {
		fixture.Must(w.db.Exec(ctx, sql, merchantID))
	}
}
