package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// readerConns is the number of connections that the API has by default.
const readerConns = 20

// plainCharge is the row that the reference reads.
type plainCharge struct {
	ID        string    `json:"id"`
	Amount    string    `json:"amount"`
	Currency  string    `json:"currency"`
	AmountXMR string    `json:"amount_xmr"`
	Address   string    `json:"subaddress"`
	Status    string    `json:"status"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

// serveReader is the reference of a public read: net/http, pgx and one row by
// its primary key.
func serveReader(ctx context.Context, databaseURL string) error {
	pool, err := poolOf(ctx, databaseURL)
	if err != nil {
		return err
	}
	defer pool.Close()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /charges/{id}", func(w http.ResponseWriter, r *http.Request) { readOne(w, r, pool) })
	return serveReference(ctx, mux)
}

func readOne(w http.ResponseWriter, r *http.Request, pool *pgxpool.Pool) {
	rows, err := pool.Query(r.Context(), `SELECT id, amount::text, currency, amount_piconero::text, subaddress,
		status, created_at, expires_at FROM charges WHERE id = $1`, r.PathValue("id"))
	if err == nil {
		var charge plainCharge
		charge, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[plainCharge])
		if err == nil {
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(charge) //nolint:errchkjson // the client is gone if this fails
			return
		}
	}
	http.Error(w, err.Error(), http.StatusInternalServerError)
}
