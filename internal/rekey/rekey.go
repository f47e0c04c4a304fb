// Package rekey moves every sealed column to the newest key of the keyset,
// so that older keys can be dropped. It works in short batches beside running
// services: a row is only replaced by the same value under another key.
package rekey

import (
	"context"
	"fmt"

	"github.com/durapay/durapay/internal/postgres"
	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
)

// batch is how many rows are read at a time.
const batch = 200

// table reads the rows of a table that come after one, at most a batch; empty
// for its beginning.
type table func(ctx context.Context, q *db.Queries, after string) ([]row, error)

// row is a row of a table with what is sealed in it.
type row struct {
	id     string
	sealed []value
	// replace stores the values, in the order of sealed.
	replace func(fresh [][]byte) error
}

// value is a sealed value, nil where there is none, and its place.
type value struct {
	sealed []byte
	place  secret.AD
}

// All rekeys what is not under the primary key and returns how many values
// that were. A second run finds nothing left to do.
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

// rekey replaces what is not under the primary key. It returns how many values
// that were, and the last row; empty when there is none.
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

// again returns the value under the primary key and whether that changed it.
// A missing value stays missing.
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

// rowsOf are the rows that a query returned, with its error.
func rowsOf[Row any](found []Row, err error, of func(Row) row) ([]row, error) {
	rows := make([]row, len(found))
	for i, r := range found {
		rows[i] = of(r)
	}
	return rows, err
}
