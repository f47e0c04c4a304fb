package operator

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/secret"
)

// sealedTable is a table with sealed columns.
type sealedTable struct {
	name, key string
	// numbered is set if the key is a number.
	numbered bool
	// place is the SQL of the ID in the places of the values, where that is not the key.
	place string
	// columns are those of the places. In the database their names end with _sealed.
	columns []string
}

// sealedTables returns all tables with sealed columns.
func sealedTables() []sealedTable {
	return []sealedTable{
		{name: "merchants", key: "merchant_id", columns: []string{"email", "payout_address", "totp_secret", "auto_swap_address"}},
		{name: "webhooks", key: "id", columns: []string{"secret"}},
		{name: "payouts", key: "id", columns: []string{"address", "swap_address"}},
		{name: "refunds", key: "id", columns: []string{"token"}},
		{name: "refund_claims", key: "id", columns: []string{"address", "own_address", "proof"}},
		{name: "email_verifications", key: "id", columns: []string{"email", "token"}},
		{name: "account_notices", key: "id", columns: []string{"email"}},
		{name: "password_resets", key: "id", columns: []string{"token"}},
		{name: "swap_keys", key: "id", columns: []string{"secret"}},
		{name: "trades", key: "id", columns: []string{"details"}},
		{name: "received_payments", key: "id", numbered: true, place: "wallet_id || '/' || tx_hash || '/' || address", columns: []string{"origins"}},
		{name: "outgoing_transactions", key: "id", numbered: true, columns: []string{"proof"}},
		{name: "idempotency_keys", key: "trade_id", columns: []string{"response"}},
		{name: "swaps", key: "id", columns: []string{"address", "refund"}},
		{name: "wallets", key: "id", columns: []string{"view_key"}},
	}
}

// Rekey moves the values of every sealed column to the newest key of the keyset, so that
// older keys can be dropped, and returns the number of values that changed. It works in short
// batches while the services are running. It only replaces a value by the same value under
// another key. A second run has nothing to do.
func Rekey(ctx context.Context, store *postgres.Store, box *secret.Box) (int, error) {
	total := 0
	for _, t := range sealedTables() {
		after := ""
		if t.numbered {
			after = "0"
		}
		for changed, more := 0, true; more; total += changed {
			err := pgx.BeginFunc(ctx, store.Pool(), func(tx pgx.Tx) error {
				rows, err := t.after(ctx, tx, after)
				if err != nil {
					return err
				}
				changed, more = 0, len(rows) > 0
				for _, r := range rows {
					n, err := t.rekey(ctx, tx, box, r)
					if err != nil {
						return err
					}
					changed, after = changed+n, r.key
				}
				return nil
			})
			if err != nil {
				return total, fmt.Errorf("rekey: %w", err)
			}
		}
	}
	return total, nil
}

// sealedRow is a row with its sealed values; a missing value is nil.
type sealedRow struct {
	key, place string
	values     [][]byte
}

// after locks the rows with sealed values after a key, at most a batch. Payments of charges have
// none, so it leaves them to the watcher.
func (t sealedTable) after(ctx context.Context, tx pgx.Tx, key string) ([]sealedRow, error) {
	const batch = 200
	place := cmp.Or(t.place, t.key)
	sealed := strings.Join(t.columns, "_sealed IS NOT NULL OR ") + "_sealed IS NOT NULL"
	rows, err := tx.Query(ctx, fmt.Sprintf("SELECT %s::text, (%s)::text, %s_sealed FROM %s t WHERE %s > %s AND (%s) ORDER BY t.%s LIMIT %d FOR NO KEY UPDATE",
		t.key, place, strings.Join(t.columns, "_sealed, "), t.name, t.key, t.given(), sealed, t.key, batch), key)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (sealedRow, error) {
		r := sealedRow{values: make([][]byte, len(t.columns))}
		into := []any{&r.key, &r.place}
		for i := range r.values {
			into = append(into, &r.values[i])
		}
		return r, row.Scan(into...)
	})
}

// given returns the SQL of the first argument as a key of the table.
func (t sealedTable) given() string {
	if t.numbered {
		return "$1::text::bigint"
	}
	return "$1"
}

// rekey stores the values that are not sealed with the primary key anew, and returns their
// number.
func (t sealedTable) rekey(ctx context.Context, tx pgx.Tx, box *secret.Box, r sealedRow) (int, error) {
	changed := 0
	for i, sealed := range r.values {
		place := secret.In(t.name, t.columns[i]).Of(r.place)
		if sealed == nil || !box.NeedsRekey(sealed, place) {
			continue
		}
		plain, err := box.Unseal(sealed, place)
		if err != nil {
			return 0, fmt.Errorf("%s.%s of %s: %w", place.Table, place.Column, place.ID, err)
		}
		fresh, err := box.Seal(plain, place)
		if err != nil {
			return 0, err
		}
		update := fmt.Sprintf("UPDATE %s SET %s_sealed = $2 WHERE %s = %s", t.name, t.columns[i], t.key, t.given())
		if _, err := tx.Exec(ctx, update, r.key, fresh); err != nil {
			return 0, err
		}
		changed++
	}
	return changed, nil
}
