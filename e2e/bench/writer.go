package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/durapay/durapay/internal/money"
	"github.com/durapay/durapay/internal/secret"
)

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

// insert inserts the charge, its event and the row for its workflow.
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
