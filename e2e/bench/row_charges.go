package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/e2e/fixture"
	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
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

func (s sizes) rateAddresses() (n int) {
	for _, clients := range append(rateClients(), engineClients) {
		n += int(s.turns().Seconds() * float64(min(600*clients, 1800))) // more than one machine of today makes
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
		withChild(ctx, []string{"writer", b.testbed.URLs["DATABASE_URL"], bare.id()}, func(writer string) {
			b.testbed.withEngine(ctx, func(e *engine) { b.compareCharges(ctx, writer, e) })
		})
	}, func() error { return fixture.Try(func() { b.testbed.forget(ctx, bare.id()) }) })
}

func (b *bench) compareCharges(ctx context.Context, writer string, e *engine) {
	bare := func(ctx context.Context, _ int64) error { return b.testbed.postTo(ctx, writer+"/charges", "") }
	settle := func(ctx context.Context) { b.testbed.started(ctx); e.idle(ctx) }
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
	b.testbed.started(ctx)
	b.table.add(c.row(fmt.Sprintf("POST /api/charges, %d clients, while no workflow is started", engineClients), bareWriter, 0, insertBar))
}

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

// firstBareIndex is above the subaddresses of every other row here.
const firstBareIndex = 1_000_000_000

// writer is the reference of a charge's creation: net/http, pgx, and the rows of a charge,
// in one transaction of five round trips. It answers as the API does, and its event is as
// long. It looks nothing up: price, merchant and address are known. It asks for no key and
// takes no address from the pool, and no worker starts a workflow.
type writer struct {
	merchant string
	made     atomic.Int64
}

// plainConfirmations is how many blocks its charges need, as those of the stack.
const plainConfirmations = 2

// plainOrder is what it is asked for.
type plainOrder struct {
	Amount   money.Decimal `json:"amount"`
	Currency string        `json:"currency"`
}

func serveWriter(ctx context.Context, databaseURL, merchantID string) error {
	w := &writer{merchant: merchantID}
	return serveCharges(ctx, databaseURL, "POST /charges", func(pool *pgxpool.Pool, r *http.Request) (plainCharge, error) {
		var order plainOrder
		if err := json.NewDecoder(r.Body).Decode(&order); err != nil {
			return plainCharge{}, err
		}
		return w.insert(r.Context(), pool, order)
	})
}

func (s *writer) insert(ctx context.Context, pool *pgxpool.Pool, order plainOrder) (plainCharge, error) {
	now, n := time.Now().UTC(), s.made.Add(1)
	c := plainCharge{
		ID: secret.NewID("ch_"), Amount: json.Number(order.Amount.String()), Currency: order.Currency, AmountXMR: json.Number(order.Amount.String()),
		Address: fmt.Sprintf("bare-%s-%064d", s.merchant, n), Status: "pending", CreatedAt: now, ExpiresAt: now.Add(time.Hour),
		Required: plainConfirmations, Active: true, Fields: []string{},
	}
	c = c.answered()
	payload, err := json.Marshal(map[string]any{"event": ourEvent, "created_at": now, "data": c})
	if err != nil {
		return c, err
	}
	tx, err := pool.Begin(ctx)
	if err != nil {
		return c, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // does nothing after a commit
	for _, insert := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO charges (id, merchant_id, mode, source, wallet_id, subaddress_index, subaddress, amount, currency, amount_piconero,
			confirm_from_piconero, confirmations_required, created_at, expires_at)
			VALUES ($1, $2, 'live', 'api', $3, $4, $5, $6::text::numeric, $7, $6::text::numeric * 1000000000000, 1, 2, $8, $9)`,
			[]any{c.ID, s.merchant, liveWallet, firstBareIndex + n, c.Address, c.Amount.String(), c.Currency, c.CreatedAt, c.ExpiresAt}},
		{`INSERT INTO events (merchant_id, mode, type, resource_id, payload, created_at) VALUES ($1, 'live', $2, $3, $4, $5)`,
			[]any{s.merchant, ourEvent, c.ID, string(payload), c.CreatedAt}},
		{`INSERT INTO bench_starts (kind, id, owner, urgency, version) VALUES ('charges', $1, $2, 3, 0)`, []any{c.ID, s.merchant}},
	} {
		if _, err := tx.Exec(ctx, insert.sql, insert.args...); err != nil {
			return c, err
		}
	}
	return c, tx.Commit(ctx)
}
