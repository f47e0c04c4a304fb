// Package rekey moves the values of every sealed column to the newest key of
// the keyset, so that older keys can be dropped. It works in short batches
// while the services are running. It only replaces a row's value by the same
// value under another key.
package rekey

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// batch is the number of rows that are read at a time.
const batch = 200

// table reads the rows of a table after the row with the given ID, at most a
// batch. An empty ID is the beginning.
type table func(ctx context.Context, q *db.Queries, after string) ([]row, error)

// row is a row of a table with its sealed values.
type row struct {
	id     string
	sealed []value
	// replace stores the values, in the order of sealed.
	replace func(fresh [][]byte) error
}

// value is a sealed value with its place; sealed is nil if there is no value.
type value struct {
	sealed []byte
	place  secret.AD
}

// All rekeys the values that are not sealed with the primary key and returns
// their number. A second run has nothing to do.
func All(ctx context.Context, store *postgres.Store, box *secret.Box) (int, error) {
	total := 0
	for _, read := range []table{
		merchants, webhooks, payouts, refunds, refundClaims, emailVerifications, accountNotices, passwordResets, swapKeys, trades, tradeDeposits, outgoing, responses, swaps,
	} {
		for after := ""; ; {
			n, last := 0, ""
			err := store.Tx(ctx, func(q *db.Queries) error {
				rows, err := read(ctx, q, after)
				if err != nil {
					return err
				}
				n, last, err = rekey(box, rows)
				return err
			})
			if err != nil {
				return total, fmt.Errorf("rekey: %w", err)
			}
			if total += n; last == "" {
				break
			}
			after = last
		}
	}
	return total, nil
}

// rekey replaces the values that are not sealed with the primary key. It
// returns their number, and the ID of the last row, which is empty if there is
// no row.
func rekey(box *secret.Box, rows []row) (total int, last string, err error) {
	for _, r := range rows {
		changed, fresh := 0, make([][]byte, len(r.sealed))
		for i, v := range r.sealed {
			var n int
			if fresh[i], n, err = again(box, v); err != nil {
				return 0, "", err
			}
			changed += n
		}
		if changed > 0 {
			if err := r.replace(fresh); err != nil {
				return 0, "", err
			}
		}
		total, last = total+changed, r.id
	}
	return total, last, nil
}

// again returns the value sealed with the primary key, and 1 if that changed
// it, else 0. A missing value stays missing.
func again(box *secret.Box, v value) (fresh []byte, changed int, err error) {
	if v.sealed == nil || !box.NeedsRekey(v.sealed, v.place) {
		return v.sealed, 0, nil
	}
	plain, err := box.Unseal(v.sealed, v.place)
	if err != nil {
		return nil, 0, fmt.Errorf("%s.%s of %s: %w", v.place.Table, v.place.Column, v.place.ID, err)
	}
	fresh, err = box.Seal(plain, v.place)
	return fresh, 1, err
}

// rowsOf converts the rows of a query and returns its error.
func rowsOf[Row any](found []Row, err error, of func(Row) row) ([]row, error) {
	rows := make([]row, len(found))
	for i, r := range found {
		rows[i] = of(r)
	}
	return rows, err
}
