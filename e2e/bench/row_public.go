package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// publicBar is the share of a bare handler's rate.
	publicBar     = 0.7
	publicClients = 8
	publicCharges = 100
)

// publicReads compares the public view of a charge with a handler that reads
// the row and nothing else.
func (b *bench) publicReads(ctx context.Context) {
	charges := b.crowd.charges(ctx, publicCharges)
	id := func(n int64) string { return charges[n%publicCharges].ID }
	ours := func(ctx context.Context, n int64) error {
		return b.testbed.get(ctx, b.crowd.BaseURL+"/api/charges/"+id(n)+"/public", "")
	}
	var c comparison
	withChild(ctx, []string{"reader", b.testbed.URLs["DATABASE_URL"]}, func(reader string) {
		bare := func(ctx context.Context, n int64) error { return b.testbed.get(ctx, reader+"/charges/"+id(n), "") }
		c = b.sizes.inTurns(ctx, publicClients, b.testbed.started, bare, ours)
	})
	b.table.add(c.row(fmt.Sprintf("GET /api/charges/:id/public, %d clients", publicClients), "net/http and pgx alone", 0, publicBar))
}

// readerConns is the number of connections that the API has by default.
const readerConns = 20

// plainCharge is a charge as its customer sees it, with the members of the API's answer,
// written as encoding/json does: amounts are numbers as the database has them.
type plainCharge struct {
	ID            string      `json:"id"`
	Amount        json.Number `json:"amount"`
	Currency      string      `json:"currency"`
	AmountXMR     json.Number `json:"amount_xmr"`
	Address       string      `json:"subaddress"`
	Status        string      `json:"status"`
	Confirmations int32       `json:"confirmations"`
	Required      int32       `json:"confirmations_required"`
	CreatedAt     time.Time   `json:"created_at"`
	ExpiresAt     time.Time   `json:"expires_at"`
	ConfirmedAt   *time.Time  `json:"confirmed_at"`
	Description   *string     `json:"description"`
	ReturnURL     *string     `json:"return_url"`
	Active        bool        `json:"active"`
	LinkState     string      `json:"link_state"`
	LinkExpiresAt *time.Time  `json:"link_expires_at"`
	Received      json.Number `json:"amount_received_xmr"`
	Due           json.Number `json:"amount_due_xmr"`
	PaymentState  string      `json:"payment_state"`
	Late          bool        `json:"late"`
	PaymentURI    string      `json:"payment_uri"`
	PaymentURL    string      `json:"payment_url"`
	Fields        []string    `json:"fields"`
}

// answered is the charge with what an answer has besides its columns.
func (c plainCharge) answered() plainCharge {
	c.LinkState, c.Received, c.Due, c.PaymentState = "active", "0", c.AmountXMR, "unpaid"
	c.PaymentURI = "monero:" + c.Address + "?tx_amount=" + c.AmountXMR.String()
	c.PaymentURL = "http://127.0.0.1:8080/pay/" + c.ID
	return c
}

// serveReader is the reference of a public read: net/http, pgx and encoding/json. It asks for
// the columns of a charge that its customer sees and for its payments, by one query, as the
// API does, and answers with the same members. It has no routes, limits, log lines, metrics
// or ETag, judges no link, and reckons nothing of the payments.
func serveReader(ctx context.Context, databaseURL string) error {
	return serveCharges(ctx, databaseURL, "GET /charges/{id}", func(pool *pgxpool.Pool, r *http.Request) (plainCharge, error) {
		rows, err := pool.Query(r.Context(), plainRead, r.PathValue("id"))
		if err != nil {
			return plainCharge{}, err
		}
		charge, err := pgx.CollectExactlyOneRow(rows, plainRow)
		return charge.answered(), err
	})
}

// serveCharges is the reference that answers a route with a charge, over a pool with as many
// connections as a service has.
func serveCharges(ctx context.Context, databaseURL, route string, answer func(*pgxpool.Pool, *http.Request) (plainCharge, error)) error {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return fmt.Errorf("pool: %w", err)
	}
	config.MaxConns = readerConns
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	mux := http.NewServeMux()
	mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
		charge, err := answer(pool, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(charge)
	})
	return serveReference(ctx, mux)
}

// plainRead is the API's query of a public charge.
const plainRead = `SELECT c.id, c.amount::text, c.currency, c.amount_piconero::text, c.confirm_from_piconero::text, c.subaddress, c.status,
	c.confirmations_required, c.created_at, c.expires_at, c.seen_at, c.confirmed_at, c.description, c.return_url, c.fields,
	c.link_active, c.link_expires_at, c.late, ARRAY(
	SELECT json_build_object(
		'id', t.id, 'tx_hash', t.tx_hash, 'amount', t.amount::text, 'height', t.height, 'mature', t.mature,
		'first_seen_at', t.first_seen_at, 'chain_height', (SELECT chain.chain_height FROM chains AS chain JOIN wallets w ON w.chain_id = chain.id WHERE w.id = c.wallet_id))
	FROM received_payments t WHERE t.charge_id = c.id AND t.vanished_at IS NULL AND NOT t.fresh)::json[]
	FROM charges c WHERE c.id = $1`

func plainRow(row pgx.CollectableRow) (c plainCharge, err error) {
	var confirmFrom string
	var seenAt *time.Time
	var payments [][]byte
	err = row.Scan(&c.ID, (*string)(&c.Amount), &c.Currency, (*string)(&c.AmountXMR), &confirmFrom, &c.Address, &c.Status, &c.Required,
		&c.CreatedAt, &c.ExpiresAt, &seenAt, &c.ConfirmedAt, &c.Description, &c.ReturnURL, &c.Fields, &c.Active, &c.LinkExpiresAt, &c.Late, &payments)
	return c, err
}
