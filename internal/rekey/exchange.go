package rekey

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/durapay/durapay/internal/postgres/db"
	"github.com/durapay/durapay/internal/secret"
	"github.com/durapay/durapay/internal/tradedetails"
)

// value is one sealed value of a table and how it is replaced.
type value struct {
	id      string
	sealed  []byte
	replace func(ctx context.Context, sealed []byte) error
}

// column rekeys the values of one column.
func column(ctx context.Context, box *secret.Box, table, name string, values []value) (n int, last string, err error) {
	for _, v := range values {
		fresh, changed, err := again(box, v.sealed, secret.AD{Table: table, Column: name, ID: v.id})
		if err != nil {
			return 0, "", err
		}
		if changed > 0 {
			if err := v.replace(ctx, fresh); err != nil {
				return 0, "", err
			}
		}
		n, last = n+changed, v.id
	}
	return n, last, nil
}

func swapKeys(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.SwapKeysAfter(ctx, db.SwapKeysAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.ID, r.SecretSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeySwapKey(ctx, db.RekeySwapKeyParams{ID: r.ID, SecretSealed: sealed})
		}}
	}
	return column(ctx, box, "swap_keys", "secret", values)
}

func trades(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.TradesAfter(ctx, db.TradesAfterParams{ID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.ID, r.DetailsSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeyTrade(ctx, db.RekeyTradeParams{ID: r.ID, DetailsSealed: sealed})
		}}
	}
	return column(ctx, box, "trades", "details", values)
}

// tradeDeposits seals anew where deposits come from.
func tradeDeposits(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	id, err := number(after)
	if err != nil {
		return 0, "", err
	}
	rows, err := q.TradeDepositsAfter(ctx, db.TradeDepositsAfterParams{ID: id, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		fresh, changed, err := again(box, r.OriginsSealed, tradedetails.OriginsPlace(tradedetails.DepositOf(r)))
		if err == nil && changed > 0 {
			err = q.RekeyTradeDeposit(ctx, db.RekeyTradeDepositParams{ID: r.ID, OriginsSealed: fresh})
		}
		if err != nil {
			return 0, "", err
		}
		n, last = n+changed, strconv.FormatInt(r.ID, 10)
	}
	return n, last, nil
}

// number is the row that a table with numbered rows goes on after; empty for
// its beginning.
func number(after string) (int64, error) {
	if after == "" {
		return 0, nil
	}
	id, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("row %q: %w", after, err)
	}
	return id, nil
}

// outgoing rekeys the proofs of transactions. One that was moved from another
// table keeps the associated data of its old place.
func outgoing(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	id, err := number(after)
	if err != nil {
		return 0, "", err
	}
	rows, err := q.OutgoingAfter(ctx, db.OutgoingAfterParams{ID: id, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	for _, r := range rows {
		last = strconv.FormatInt(r.ID, 10)
		ad := secret.AD{Table: "outgoing_transactions", Column: "proof", ID: last}
		if r.ProofAd != nil {
			parts := strings.SplitN(*r.ProofAd, ":", 3)
			if len(parts) != 3 {
				return 0, "", fmt.Errorf("transaction %d: associated data %q", r.ID, *r.ProofAd)
			}
			ad = secret.AD{Table: parts[0], Column: parts[1], ID: parts[2]}
		}
		fresh, changed, err := again(box, r.ProofSealed, ad)
		if err == nil && changed > 0 {
			err = q.RekeyOutgoing(ctx, db.RekeyOutgoingParams{ID: r.ID, ProofSealed: fresh})
		}
		if err != nil {
			return 0, "", err
		}
		n += changed
	}
	return n, last, nil
}

func responses(ctx context.Context, q *db.Queries, box *secret.Box, after string) (n int, last string, err error) {
	rows, err := q.IdempotencyKeysAfter(ctx, db.IdempotencyKeysAfterParams{TradeID: after, Limit: batch})
	if err != nil {
		return 0, "", err
	}
	values := make([]value, len(rows))
	for i, r := range rows {
		values[i] = value{r.TradeID, r.ResponseSealed, func(ctx context.Context, sealed []byte) error {
			return q.RekeyIdempotencyKey(ctx, db.RekeyIdempotencyKeyParams{TradeID: r.TradeID, ResponseSealed: sealed})
		}}
	}
	return column(ctx, box, "idempotency_keys", "response", values)
}
